import { basename } from "node:path";
import { z } from "zod";
import { FilePath, aboutPath, hiddenWords, targetOf } from "./target.ts";
import type { Tool } from "./tool.ts";

const Args = z.strictObject({
  pattern: z.string().min(1).max(1000).describe("An extended regular expression."),
  path: FilePath.optional().describe(
    "A file or directory, relative to the workspace; all of it if not given.",
  ),
});

/** As a command, so that a pattern that takes forever is a process to stop and not a server that hangs. */
export const search: Tool<z.infer<typeof Args>> = {
  name: "search",
  description: "Finds lines that match a pattern in the workspace's files.",
  args: Args,
  effect: "read",
  kind: "command",
  async about(args, place) {
    const { path = "." } = args;
    const target = await targetOf(place, path);
    const refused = path.includes("\0")
      ? "a path can't contain a NUL character"
      : target.isHidden
        ? hiddenWords(path)
        : undefined;
    return {
      title: args.path === undefined ? args.pattern : `${args.pattern.slice(0, 100)} in ${target.name}`,
      ...aboutPath(place, target),
      harmless: target.isInside,
      ...(refused !== undefined && { refused }),
    };
  },
  async command({ pattern, path = "." }, place) {
    const { name, hides } = await targetOf(place, path);
    return {
      command: searchCommand(quoted(pattern), quoted(name.startsWith("-") ? `./${name}` : name), hides),
      cwd: place.workspace,
      background: false,
      stdin: false,
      timeoutMs: 60_000,
    };
  },
};

/**
 * ripgrep where it is, grep elsewhere; nothing found is an answer and not a failure. Neither follows links that it meets,
 * and what is hidden they know by its last name alone, since that is all that grep can tell directories by.
 */
function searchCommand(pattern: string, path: string, hidden: string | undefined): string {
  const name = hidden === undefined ? "" : basename(hidden).replaceAll(/[\\*?[\]{}!]/g, String.raw`\$&`);
  const [rgSkips, grepSkips] =
    name === "" ? ["", ""] : [` --glob ${quoted(`!${name}`)}`, ` --exclude-dir=${quoted(name)}`];
  const rg = `rg --line-number --no-heading --color never --max-columns 500${rgSkips} -e ${pattern} -- ${path}`;
  const grep = `grep -rnIE --exclude-dir=.git --exclude-dir=node_modules${grepSkips} -e ${pattern} -- ${path}`;
  return `if command -v rg >/dev/null 2>&1; then ${rg}; else ${grep}; fi; r=$?; [ $r -eq 1 ] && echo "Nothing matches." && exit 0; exit $r`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
