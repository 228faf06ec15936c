import { z } from "zod";
import type { Tool } from "./tool.ts";

const Args = z.strictObject({
  pattern: z.string().min(1).max(1000).describe("An extended regular expression."),
  path: z
    .string()
    .optional()
    .describe("A file or directory, relative to the workspace; all of it if not given."),
});

/** As a command, so that a pattern that takes forever is a process to stop and not a server that hangs. */
export const search: Tool<z.infer<typeof Args>> = {
  name: "search",
  description: "Finds lines that match a pattern in the workspace's files.",
  args: Args,
  effect: "read",
  kind: "command",
  about: ({ pattern, path }, { workspace }) => ({
    title: pattern,
    subject: path ?? ".",
    cwd: workspace,
    harmless: isInside(path),
  }),
  command: ({ pattern, path = "." }, { workspace }) => ({
    command: searchCommand(quoted(pattern), quoted(path.startsWith("-") ? `./${path}` : path)),
    cwd: workspace,
    background: false,
    stdin: false,
    timeoutMs: 60_000,
  }),
};

/** ripgrep where it is, grep elsewhere; nothing found is an answer and not a failure. */
function searchCommand(pattern: string, path: string): string {
  const rg = `rg --line-number --no-heading --color never --max-columns 500 -e ${pattern} -- ${path}`;
  const grep = `grep -rnIE --exclude-dir=.git --exclude-dir=node_modules -e ${pattern} -- ${path}`;
  return `if command -v rg >/dev/null 2>&1; then ${rg}; else ${grep}; fi; r=$?; [ $r -eq 1 ] && echo "Nothing matches." && exit 0; exit $r`;
}

function isInside(path = "."): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
