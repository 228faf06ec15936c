import { resolve } from "node:path";
import { z } from "zod";
import { ALL_FILES, FilePath, targetOf } from "./target.ts";
import type { Tool } from "./tool.ts";

const TIMEOUT_MAX_SECONDS = 24 * 3600;

const Fields = z.strictObject({
  command: z.string().min(1).max(100_000),
  cwd: FilePath.optional().describe("Relative to the workspace."),
  background: z
    .boolean()
    .optional()
    .describe(
      "Do not wait for it: it goes on, and `process` shows and stops it. For servers, watchers and whatever does not end by itself.",
    ),
  stdin: z
    .boolean()
    .optional()
    .describe("Keep its standard input open for `process write`; only with background."),
  timeoutSeconds: z
    .number()
    .positive()
    .max(TIMEOUT_MAX_SECONDS)
    .optional()
    .describe("After so long it is ended. For a command that is waited for: not with background."),
});

/** Refused rather than ignored: whoever sets a limit goes on as if there were one. */
const Args = Fields.refine(({ background, timeoutSeconds }) => !background || timeoutSeconds === undefined, {
  path: ["timeoutSeconds"],
  error:
    "A command in the background has no time limit. Leave one of the two out: `process` stops what runs in the " +
    "background, and `timeout 60 …` in the command itself ends it by then.",
});

export const shell: Tool<z.infer<typeof Args>> = {
  name: "shell",
  description:
    "Runs a command with sh. It goes on if Holdfast is restarted, and its real output and exit code are given. Start a server with background: true, else the call waits for its end.",
  args: Args,
  effect: "unsafe",
  kind: "command",
  about({ command, cwd }, place) {
    const about = { title: command, subject: command, command, harmless: false };
    if (cwd === undefined) return { ...about, cwd: resolve(place.workspace) }; // wherever that is, it was chosen by a person
    return targetOf(place, cwd).then(({ name, realName }) => ({
      ...about,
      cwd: resolve(place.workspace, cwd),
      ...(realName !== name && { leadsTo: realName }),
    }));
  },
  looksAt: () => Promise.resolve(ALL_FILES),
  command: ({ command, cwd, background = false, stdin = false, timeoutSeconds }, { workspace }) => ({
    command,
    cwd: resolve(workspace, cwd ?? "."),
    background,
    stdin: background && stdin,
    timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
  }),
};
