import { basename } from "node:path";
import { z } from "zod";
import { quoted } from "./quoted.ts";
import { FilePath, aboutPath, hiddenWords, realTarget, targetOf, type Target } from "./target.ts";
import type { Tool } from "./tool.ts";
import { withholding, type Withheld } from "./withheld.ts";

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
  looksAt: ({ path = "." }, place) => realTarget(place, path),
  async command({ pattern, path = "." }, place, patterns) {
    const target = await targetOf(place, path);
    const withheld = patterns.length > 0 && { patterns, target, workspace: place.workspace };
    return {
      command: searchCommand(pattern, target, withheld),
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
function searchCommand(pattern: string, { name, hides }: Target, withheld: Withheld | false): string {
  const path = quoted(name.startsWith("-") ? `./${name}` : name);
  const skipped = hides === undefined ? [] : [basename(hides).replaceAll(/[\\*?[\]{}!]/g, String.raw`\$&`)];
  if (withheld) skipped.push("*\n*"); // what is told line by line can't be told of those
  const rg = [
    "rg --line-number --no-heading --color never --max-columns 500",
    ...(withheld ? ["--null --with-filename --no-messages"] : []),
    ...skipped.map((glob) => `--glob ${quoted(`!${glob}`)}`),
  ];
  const grep = [
    "grep -rnIE --exclude-dir=.git --exclude-dir=node_modules",
    ...(withheld ? ["-Z -H -s --exclude='*\n*'"] : []),
    ...skipped.map((glob) => `--exclude-dir=${quoted(glob)}`),
  ];
  const [first, second] = [rg, grep].map((words) => `${words.join(" ")} -e ${quoted(pattern)} -- ${path}`);
  const search = `if command -v rg >/dev/null 2>&1; then ${first}; else ${second}; fi`;
  if (withheld) return withholding(search, withheld);
  return `${search}; r=$?; [ $r -eq 1 ] && echo "Nothing matches." && exit 0; exit $r`;
}
