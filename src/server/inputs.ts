// POST /api/sessions/:id/inputs: what someone sends is admitted with one append and answered at once.
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { FactData } from "../session/event.ts";
import { storedText } from "../store/long-text.ts";
import type { Store } from "../store/store.ts";
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
