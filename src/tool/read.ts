import { z } from "zod";
import { fileText } from "./file-text.ts";
import { FilePath, aboutFile, realTarget } from "./target.ts";
import type { Tool } from "./tool.ts";

const LINES_USUAL = 2000;
const RESULT_MAX_CHARS = 60_000;

const NOT_EXACT =
  "[this file is not UTF-8: what stands as \ufffd are other bytes; edit leaves it alone, use shell]\n";

const Args = z.strictObject({
  path: FilePath.describe("Relative to the workspace."),
  offset: z.int().min(1).optional().describe("First line to read, from 1."),
  limit: z.int().min(1).max(20_000).optional().describe(`How many lines; ${LINES_USUAL} if not given.`),
});

export const read: Tool<z.infer<typeof Args>> = {
  name: "read",
  description: "Reads a text file of the workspace, with line numbers.",
  args: Args,
  effect: "read",
  kind: "plain",
  about: ({ path }, place) => aboutFile(place, path),
  looksAt: ({ path }, place) => realTarget(place, path),
  async run({ path, offset = 1, limit = LINES_USUAL }, call) {
    const file = await fileText(call, path);
    if (!file.ok) return { status: "error", result: file.why };
    const lines = file.text.split("\n");
    if (lines.at(-1) === "") lines.pop(); // what follows the last line end is no line
    if (offset > Math.max(1, lines.length))
      return { status: "error", result: `${path} has only ${lines.length} lines` };
    const note = file.isExact ? "" : NOT_EXACT;
    return { status: "ok", result: note + numbered(lines, offset, limit) };
  },
};

function numbered(lines: readonly string[], offset: number, limit: number): string {
  let shown = "";
  let line = offset;
  for (; line < offset + limit && line <= lines.length; line++) {
    const next = `${String(line).padStart(6)}\t${lines[line - 1]}\n`;
    if (shown !== "" && shown.length + next.length > RESULT_MAX_CHARS) break;
    shown +=
      next.length > RESULT_MAX_CHARS ? `${next.slice(0, RESULT_MAX_CHARS)} [the line goes on]\n` : next;
  }
  const rest = lines.length - line + 1;
  return rest > 0
    ? `${shown}[${rest} more lines: read on with offset ${line}]`
    : shown || "[the file is empty]";
}
