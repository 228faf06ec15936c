// What is queued can still be changed, moved, withdrawn; and after a stop it waits until someone lets it go on.
import { z } from "zod";
import * as http from "../protocol/http.ts";
import { isAwaited } from "../session/awaited.ts";
import type { FactData, NewFact } from "../session/event.ts";
import type { QueuedInput, View } from "../session/view.ts";
import { storedText } from "../store/long-text.ts";
import type { Context } from "./context.ts";
import { decideOnView } from "./decide.ts";
import { fateOf, type Fate } from "./input-log.ts";
import { attachmentsOf } from "./inputs.ts";
import { refuse, refuseField } from "./refusal.ts";
import type { App } from "./zod.ts";

const Session = z.object({ id: z.string() });
const Input = z.object({ id: z.string(), input: z.string() });

export function queueRoutes(app: App, context: Context): void {
  const { store } = context;

  app.post(
    "/api/sessions/:id/queue/release",
    {
      schema: {
        summary: "Go on with what was queued when the session was stopped",
        params: Session,
        body: http.NoBody,
        response: { 200: http.Released },
      },
    },
    async (request) => {
      const { answer, position } = await decideOnView(context, request, request.params.id, ({ held }) => ({
        facts: held ? [{ type: "queue_released", data: {} }] : [],
        answer: held,
      }));
      return { released: answer, position };
    },
  );

  app.patch(
    "/api/sessions/:id/inputs/:input",
    {
      schema: {
        summary: "Change what is still queued, or its place",
        params: Input,
        body: http.PatchInput,
        response: { 200: http.Changed },
      },
    },
    async (request) => {
      const { id, input } = request.params;
      const { text, attachments, kind, before } = request.body;
      if (before === input) refuseField("body.before", "names the input itself");
      const { position } = await decideOnView(context, request, id, async (view) => {
        const change: Change = {
          ...(text !== undefined && { text: await storedText(store, id, text) }),
          ...(attachments !== undefined && { attachments: await attachmentsOf(store, id, attachments) }),
          ...(kind !== undefined && { kind }),
        };
        const queued = await queuedIn(context, id, view, input);
        if (typeof before === "string") await queuedIn(context, id, view, before);
        return { facts: [...edits(queued, change), ...moves(input, before)], answer: null };
      });
      return { position };
    },
  );

  app.delete(
    "/api/sessions/:id/inputs/:input",
    { schema: { summary: "Withdraw what is still queued", params: Input, answers: { 204: [] } } },
    async (request, reply) => {
      const { id, input } = request.params;
      await decideOnView(context, request, id, async (view) => {
        const isQueued = view.queue.some((queued) => queued.input === input);
        const fate = isQueued ? undefined : await fateOf(store, id, input);
        if (!isQueued && fate?.state !== "withdrawn") refuseGone(id, input, fate);
        if (isQueued && isAwaited(view)) refuseAwaited(id, view);
        const withdrawn: NewFact = { type: "input_withdrawn", data: { input } };
        return { facts: isQueued ? [withdrawn] : [], answer: null };
      });
      return reply.code(204).send();
    },
  );
}

type Change = Partial<Pick<FactData<"input_edited">, "text" | "attachments" | "kind">>;

/** An edit replaces the input whole. */
function edits({ input, delivery, ...queued }: QueuedInput, change: Change): NewFact[] {
  if (Object.keys(change).length === 0) return [];
  const { kind, text, attachments = [] } = { ...queued, ...change };
  return [
    {
      type: "input_edited",
      data: {
        input,
        kind,
        text,
        ...(kind === "prompt" && delivery === "now" && { delivery }),
        ...(attachments.length > 0 && { attachments }),
      },
    },
  ];
}

function moves(input: string, before: string | null | undefined): NewFact[] {
  if (before === undefined) return [];
  return [{ type: "input_moved", data: { input, ...(before !== null && { before }) } }];
}

async function queuedIn(context: Context, session: string, view: View, input: string): Promise<QueuedInput> {
  const queued = view.queue.find((each) => each.input === input);
  return queued ?? refuseGone(session, input, await fateOf(context.store, session, input));
}

function refuseAwaited(session: string, { meta }: View): never {
  const waiting = meta.origin?.session ?? "";
  refuse(
    "conflict",
    `${session} works for ${waiting}, which waits for it: change the input, or stop that session.`,
    { session: waiting },
  );
}

function refuseGone(session: string, input: string, fate: Fate | undefined): never {
  if (!fate) refuse("not_found", `There is no input "${input.slice(0, 100)}" in ${session}.`);
  const where =
    fate.state === "withdrawn"
      ? `was withdrawn at ${fate.at}`
      : `was taken by turn ${fate.turn} at ${fate.at}; to say it otherwise, resend it`;
  refuse("not_queued", `${input} is no longer queued: it ${where}.`, { input: fate });
}
