import { z } from "zod";
import { digestOf, fileFault, fileText, type FileText } from "./file-text.ts";
import { Changed, clearInside, replaceInside } from "./inside.ts";
import { Begun, FilePath, aboutFile, movedWords, realTarget } from "./target.ts";
import type { Call, Outcome, Place, Tool } from "./tool.ts";

const Args = z.strictObject({
  path: FilePath.describe("Relative to the workspace."),
  old: z.string().min(1).describe("The text to replace, exactly as it stands in the file, and only once."),
  new: z.string(),
});
type Args = z.infer<typeof Args>;

/** The file's digest before and after: whoever runs this again knows whether it was done. */
const Trace = Begun.extend({ before: z.string(), after: z.string() });

export const edit: Tool<Args> = {
  name: "edit",
  description: "Replaces one stretch of text in a file of the workspace.",
  args: Args,
  effect: "idempotent",
  kind: "plain",
  about: ({ path }, place) => aboutFile(place, path),
  changes: ({ path }, place) => realTarget(place, path),
  async prepare(args, place) {
    const file = await exactText(place, args.path);
    if (!file.ok) return { ok: false, result: file.why };
    const edited = replaceOnce(file.text, args);
    if (!edited.ok) return edited;
    const at = await realTarget(place, args.path);
    return { ok: true, trace: { before: digestOf(file.text), after: digestOf(edited.text), at } };
  },
  abandon: ({ path }, call) => clearInside(call, path),
  async run(args, call) {
    try {
      return await change(args, call);
    } catch (error) {
      const result = error instanceof Changed ? error.message : fileFault(args.path, error).why;
      return { status: "error", result };
    }
  },
};

async function change(args: Args, call: Call): Promise<Outcome> {
  const { before, after } = Trace.parse(call.trace);
  const moved = await movedWords(call, args.path);
  if (moved !== undefined) return { status: "error", result: moved };
  await clearInside(call, args.path); // this may be the second try, with nothing left to write
  const file = await exactText(call, args.path);
  if (!file.ok) return { status: "error", result: file.why };
  const done = { status: "ok", result: `Edited ${args.path}.` } as const;
  const digest = digestOf(file.text);
  if (digest === after) return done;
  if (digest !== before) throw new Changed(args.path);
  const edited = replaceOnce(file.text, args);
  if (!edited.ok) return { status: "error", result: edited.result };
  await replaceInside(call, args.path, edited.text, { over: file.text });
  return done;
}

/** To write another's bytes back as text would change more than was asked for. */
async function exactText(place: Place, path: string): Promise<FileText> {
  const file = await fileText(place, path);
  if (!file.ok || file.isExact) return file;
  return { ok: false, why: `${path} is not UTF-8, and was left as it is: use shell.` };
}

function replaceOnce(text: string, args: Args): { ok: true; text: string } | { ok: false; result: string } {
  const at = text.indexOf(args.old);
  if (at < 0)
    return {
      ok: false,
      result: `${args.path} does not contain that text: read it and copy the text exactly.`,
    };
  if (text.indexOf(args.old, at + 1) >= 0)
    return {
      ok: false,
      result: `${args.path} contains that text more than once: give more of what surrounds it.`,
    };
  return { ok: true, text: text.slice(0, at) + args.new + text.slice(at + args.old.length) };
}
