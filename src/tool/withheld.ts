// What a search finds in files that rules keep from the agent is not shown. A rule says which files in its own way, which no
// searching program understands, so what they find is looked through line by line, on its way into the output's file.
import { resolve } from "node:path";
import { quoted } from "./quoted.ts";
import type { Target } from "./target.ts";

export type Withheld = {
  /** As rules have them: `*` stands for anything, and what begins with `/` is about whole paths. */
  patterns: readonly string[];
  workspace: string;
  target: Pick<Target, "name" | "realName">;
};

/**
 * `search` is a command that gives each line as path, NUL, the rest, and no path with a line end in it. What is told at the
 * end is told whether or not anything was left out: else a pattern that matches only there could be found by trying.
 */
export function withholding(search: string, { patterns, workspace, target }: Withheld): string {
  const inOrder = patterns.map((pattern) => (pattern.startsWith("./") ? pattern.slice(2) : pattern));
  const whole = inOrder.filter((pattern) => pattern.startsWith("/"));
  const inside = inOrder.filter((pattern) => !pattern.startsWith("/"));
  const told = {
    // A workspace that is the root of everything would else begin every path with two slashes.
    HOLDFAST_ROOT: resolve(workspace).replace(/\/$/, ""),
    HOLDFAST_NAME: target.name === "." ? "" : target.name,
    HOLDFAST_REAL: target.realName === "." ? "" : target.realName,
    HOLDFAST_INSIDE: anyOf(inside),
    HOLDFAST_WHOLE: anyOf(whole),
    HOLDFAST_TOLD: `[left out: what the rules keep from you, ${patterns.join(" ")}]`,
  };
  const variables = Object.entries(told).map(([name, value]) => `${name}=${quoted(value)}`);
  return (
    `{ ${search}; printf '\\000\\000%d\\n' "$?"; } | LC_ALL=C tr '\\000' '\\001' | ` +
    `LC_ALL=C ${variables.join(" ")} awk ${quoted(LOOK_THROUGH)}`
  );
}

/** The exit code comes last, behind the empty path that no file has. Bytes are bytes, in whatever encoding a name is. */
const LOOK_THROUGH = String.raw`
function joined(folder, rest) { sub(/^\//, "", rest); return folder == "" ? rest : rest == "" ? folder : folder "/" rest }
function withheld(name,  whole) {
  whole = name ~ /^\// ? name : ENVIRON["HOLDFAST_ROOT"] "/" name
  return name ~ ENVIRON["HOLDFAST_INSIDE"] || whole ~ ENVIRON["HOLDFAST_WHOLE"]
}
BEGIN { FS = "\001" }
$1 == "" { code = $3; next }
NF < 2 { next }
{
  name = $1
  sub(/^\.\//, "", name)
  real = joined(ENVIRON["HOLDFAST_REAL"], substr(name, length(ENVIRON["HOLDFAST_NAME"]) + 1))
  if (withheld(name) || withheld(real)) next
  print $1 ":" substr($0, length($1) + 2)
  found = 1
}
END {
  if (!found && code < 2) print "Nothing matches."
  print ENVIRON["HOLDFAST_TOLD"]
  exit code < 2 ? 0 : code
}`;

/** A regular expression, of which awk knows little more than these. */
function anyOf(patterns: readonly string[]): string {
  if (patterns.length === 0) return "^$"; // no file has an empty name
  const expressions = patterns.map((pattern) =>
    pattern.replaceAll(/[\\^.[\](){}+?$|*]/g, (sign) =>
      sign === "*" ? ".*" : sign === "\\" || sign === "^" ? `\\${sign}` : `[${sign}]`,
    ),
  );
  return `^(${expressions.join("|")})$`;
}
