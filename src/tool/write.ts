import { z } from "zod";
import { fileFault } from "./file-text.ts";
import { clearInside, replaceInside } from "./inside.ts";
import { FilePath, aboutFile, movedWords, realTarget } from "./target.ts";
import type { Tool } from "./tool.ts";

const Args = z.strictObject({
  path: FilePath.describe("Relative to the workspace. Its directory is made if it is missing."),
  text: z.string().max(200_000),
});

export const write: Tool<z.infer<typeof Args>> = {
  name: "write",
  description: "Writes a file of the workspace, whole. What was in it is replaced.",
  args: Args,
  effect: "idempotent", // the same bytes again
  kind: "plain",
  about: ({ path }, place) => aboutFile(place, path),
  changes: ({ path }, place) => realTarget(place, path),
  prepare: async ({ path }, place) => ({ ok: true, trace: { at: await realTarget(place, path) } }),
  abandon: ({ path }, call) => clearInside(call, path),
  async run({ path, text }, call) {
    const moved = await movedWords(call, path);
    if (moved !== undefined) return { status: "error", result: moved };
    try {
      await replaceInside(call, path, text, { makesFolder: true });
      return { status: "ok", result: `Wrote ${Buffer.byteLength(text)} bytes to ${path}.` };
    } catch (error) {
      return { status: "error", result: fileFault(path, error).why };
    }
  },
};
