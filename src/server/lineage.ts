// Regenerate, edit-and-resend and undo: the session goes on from an earlier point, in a successor. Nothing is lost: the
// old one stays at its own link and names the new one.
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { FactData, NewFact } from "../session/event.ts";
import { admitAgain, queueAgain } from "../session/succeed.ts";
import type { Delegate, View } from "../session/view.ts";
import { storedText } from "../store/long-text.ts";
import { stopWork } from "../store/stop-work.ts";
import type { Forked } from "../store/store.ts";
import { authorOf } from "./access.ts";
import type { Context } from "./context.ts";
import { settle, viewOf } from "./decide.ts";
import { fateOf, findDelivery, type Delivery } from "./input-log.ts";
import { attachmentsOf } from "./inputs.ts";
import { refuse } from "./refusal.ts";
import { refuseEnded } from "./session-refusals.ts";
import type { App } from "./zod.ts";

const Session = z.object({ id: z.string() });

export function lineageRoutes(app: App, context: Context): void {
  const { store } = context;

  app.post(
    "/api/sessions/:id/regenerate",
    {
      schema: {
        summary: "Have the last turn anew, in a successor of the session",
        params: Session,
        body: http.NoBody,
        response: { 201: http.SessionRow },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      return answer(
        reply,
        await goBack(context, request, id, {
          reason: "regenerated",
          find: () => lastDelivery(context, id),
          again: ({ data }) => data,
        }),
      );
    },
  );

  app.post(
    "/api/sessions/:id/inputs/:input/resend",
    {
      schema: {
        summary: "Go back to where an input was sent, and send another in its place",
        params: Session.extend({ input: z.string() }),
        body: http.Resend,
        response: { 201: http.SessionRow },
      },
    },
    async (request, reply) => {
      const { id, input } = request.params;
      const { text, attachments } = request.body;
      return answer(
        reply,
        await goBack(context, request, id, {
          reason: "edited",
          find: () => deliveryOf(context, id, input),
          // It is the person's own now, whoever said it first.
          again: async ({ data: { input: before, kind, attachments: had = [] } }) => ({
            input: before,
            kind,
            text: await storedText(store, id, text),
            attachments: attachments ? await attachmentsOf(store, id, attachments) : had,
          }),
        }),
      );
    },
  );

  app.post(
    "/api/sessions/:id/undo",
    {
      schema: {
        summary: "Go back to before the last turn, in a successor of the session",
        params: Session,
        body: http.NoBody,
        response: { 201: http.SessionRow },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      return answer(
        reply,
        await goBack(context, request, id, {
          reason: "undone",
          find: () => lastDelivery(context, id),
          again: () => undefined,
        }),
      );
    },
  );
}

type Made = Extract<Forked, { ok: true }>;

type GoingBack = {
  reason: string;
  /** To where; refuses when there is no such place. */
  find: () => Promise<Delivery>;
  /** What the successor is sent first. */
  again: (delivery: Delivery) => Again | Promise<Again>;
};

type Again = FactData<"input_admitted"> | undefined;

async function goBack(
  context: Context,
  request: FastifyRequest,
  session: string,
  { reason, find, again }: GoingBack,
): Promise<Made> {
  const { store, ids } = context;
  let before: readonly Delegate[] = [];
  const made = await settle<Made>(context, request, session, async (command) => {
    const view = await viewOf(context, session);
    before = view.delegates;
    refuseWhileLive(session, view);
    const delivery = await find();
    const input = await again(delivery);
    const newInput = () => ids.next("inp");
    const first: NewFact[] = input ? [sentAgain(input, newInput())] : [];
    // What is sent anew goes on after a stop, as any send does, and what waited goes on behind it.
    const waiting = queueAgain(input ? { ...view, held: false } : view, newInput);
    return store.succeedSession(
      {
        from: session,
        view,
        at: delivery.before,
        id: ids.next("ses"),
        reason,
        first: [...first, ...waiting],
      },
      authorOf(request.caller),
      command,
    );
  });
  if (!made.replayed) await stopUnheard(context, request, before, made.session.id);
  return made;
}

/**
 * Whoever worked for what is gone back over, and for them: nobody waits for it any more. Should we die before this, it goes on
 * to its end, and its result comes to nobody all the same.
 */
async function stopUnheard(
  { store }: Context,
  { caller }: FastifyRequest,
  before: readonly Delegate[],
  successor: string,
): Promise<void> {
  if (before.length === 0) return;
  const heard = new Set((await store.view(successor))?.delegates.map(({ session }) => session));
  for (const { session } of before.filter((delegate) => !heard.has(delegate.session)))
    for (const worker of await store.scope(session))
      await stopWork(store, worker, () => ({ by: "client", author: authorOf(caller) }));
}

/** It begins a turn now, whether it once entered one that ran or stopped one. */
function sentAgain({ text, attachments = [], delegate }: FactData<"input_admitted">, input: string): NewFact {
  const again = { kind: "prompt", text, delivery: "queue", attachments } as const;
  return admitAgain({ ...again, ...(delegate && { delegate }) }, input);
}

function refuseWhileLive(session: string, { ended, turn }: View): void {
  if (ended) refuseEnded(session, ended.successor);
  if (!turn) return;
  const what = turn.stopRequested ? "is being stopped: try again in a moment" : "runs: stop it first";
  refuse("live", `A turn of ${session} ${what}.`, { turn: turn.id });
}

async function lastDelivery({ store }: Context, session: string): Promise<Delivery> {
  const last = await findDelivery(store, session);
  return last ?? refuse("conflict", `${session} has had no turn yet: there is nothing to go back to.`);
}

async function deliveryOf({ store }: Context, session: string, input: string): Promise<Delivery> {
  const delivery = await findDelivery(store, session, input);
  if (delivery) return delivery;
  const fate = await fateOf(store, session, input);
  if (fate?.state === "withdrawn")
    return refuse("conflict", `${input} was withdrawn before any turn took it.`, { input: fate });
  return refuse(
    "not_found",
    `No turn of ${session} has taken an input "${input.slice(0, 100)}"; what is queued can be edited.`,
  );
}

function answer(reply: FastifyReply, { session }: Made): FastifyReply {
  return reply.code(201).header("location", `/api/sessions/${session.id}`).send(session);
}
