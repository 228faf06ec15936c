// POST /api/sessions/:id/inputs: what someone sends is admitted with one append and answered at once.
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { FactData, LongText } from "../session/event.ts";
import { PREVIEW_CHARS } from "../session/view.ts";
import { EVENT_MAX_BYTES, TEXT_MAX_CHARS, type Store } from "../store/store.ts";
import { authorOf } from "./access.ts";
import { commandOf, refuseReused } from "./command.ts";
import type { Context } from "./context.ts";
import { refuseField } from "./refusal.ts";
import { refuseEnded, refuseUnknown } from "./session-refusals.ts";
import type { App } from "./zod.ts";

type NewInput = z.output<typeof http.NewInput>;

export function inputRoutes(app: App, context: Context): void {
  const { store, ids, metrics } = context;
  app.post(
    "/api/sessions/:id/inputs",
    {
      schema: {
        summary: "Send something to a session",
        params: z.object({ id: z.string() }),
        body: http.NewInput,
        response: { 202: http.Admitted },
      },
    },
    async (request, reply) => {
      const session = request.params.id;
      const command = commandOf(request);
      const input = ids.next("inp");
      const data = await inputData(store, session, input, request.body);
      const appended = await store.append(
        session,
        [{ type: "input_admitted", data }],
        { by: "client", author: authorOf(request.caller), ...(command && { command }) },
        { note: input },
      );
      if (!appended.ok) {
        if (appended.code === "ended") refuseEnded(session, appended.successor);
        if (appended.code === "key_reused") refuseReused();
        refuseUnknown(session);
      }
      if (!appended.replayed) metrics.appended.inc();
      // Readers first: answering wakes the sender, who would take the processor from us. A seventh of their time, as measured.
      await setImmediate();
      // A retry gets the id that the first try was given.
      const admitted = typeof appended.note === "string" ? appended.note : input;
      return reply.code(202).send({ input: admitted, session, position: appended.position });
    },
  );
}

/** Looks up the files it names, and puts a long text where long texts lie. */
export async function inputData(
  store: Store,
  session: string,
  input: string,
  { kind, text, attachments = [], delivery }: NewInput,
): Promise<FactData<"input_admitted">> {
  const files = await Promise.all(attachments.map(({ file }, index) => attachmentOf(store, file, index)));
  return {
    input,
    kind,
    text: await storedText(store, session, text),
    ...(delivery !== undefined && { delivery }),
    ...(files.length > 0 && { attachments: files }),
  };
}

async function attachmentOf(store: Store, id: string, index: number) {
  const found = await store.file(id);
  if (found === undefined)
    return refuseField(
      `body.attachments.${index}.file`,
      `names no file: "${id.slice(0, 100)}" has to be uploaded first, with POST /api/files`,
    );
  const { file, name, type, bytes } = found;
  return { file, name, type, bytes };
}

async function storedText(store: Store, session: string, text: string): Promise<LongText> {
  if (fitsAnEvent(text)) return text;
  const { blob, bytes } = await store.putBlob(session, Buffer.from(text));
  return { blob, bytes, preview: beginning(text, PREVIEW_CHARS) };
}

/** By its characters, and by what JSON makes of them: a control character becomes six bytes. */
function fitsAnEvent(text: string): boolean {
  if (text.length > TEXT_MAX_CHARS) return false;
  return text.length * 6 <= TEXT_MAX_BYTES || Buffer.byteLength(JSON.stringify(text)) <= TEXT_MAX_BYTES;
}
/** Leaves room in the event for what stands beside the text. */
const TEXT_MAX_BYTES = EVENT_MAX_BYTES - 32 * 1024;

/** Never half of a surrogate pair. */
function beginning(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}
