// POST /api/sessions/:id/inputs: what someone sends is admitted with one append and answered at once. Most is queued; a
// prompt may stop what runs; and while a question is open, what is sent is its answer, unless it says that it was not
// written for that question.
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import { ANSWER_MAX_CHARS, QUEUE_MAX } from "../protocol/limits.ts";
import { readWords } from "../session/answer.ts";
import type { Attachment, FactData, NewFact } from "../session/event.ts";
import type { OpenAsk, View } from "../session/view.ts";
import { storedText } from "../store/long-text.ts";
import type { Store } from "../store/store.ts";
import type { Context } from "./context.ts";
import { decideAndAppend, viewOf, type Decision } from "./decide.ts";
import { noteDeed } from "./deed.ts";
import { InOrder } from "./in-order.ts";
import { refuseClosed } from "./closed-ask.ts";
import { refuse, refuseField } from "./refusal.ts";
import { refuseUnknown } from "./session-refusals.ts";
import type { App } from "./zod.ts";

type NewInput = z.output<typeof http.NewInput>;
type Input = FactData<"input_admitted">;

export function inputRoutes(app: App, context: Context): void {
  const { store, ids } = context;
  const sends = new InOrder();
  app.post(
    "/api/sessions/:id/inputs",
    {
      schema: {
        summary: "Send something to a session; while a question is open it is the answer",
        params: z.object({ id: z.string() }),
        body: http.NewInput,
        response: { 202: http.Admitted },
      },
    },
    async (request, reply) => {
      const session = request.params.id;
      const { body } = request;
      let data: Input | undefined;
      const { answer: outcome, position } = await sends.run(session, () =>
        decideAndAppend(
          context,
          request,
          session,
          async () => {
            await context.damage.check(session);
            data ??= await inputData(store, session, ids.next("inp"), body);
            return { ...(await situationOf(context, session, request.caller.person, body)), data };
          },
          (situation) => decideInput(context, situation, body.answers),
        ),
      );
      const { stopped: turn, ...answer } = outcome;
      const { answered: ask } = answer;
      if (ask !== undefined)
        await noteDeed(context, request, "ask_answered", { ask, session, kind: "clarify" });
      if (turn !== undefined) await noteDeed(context, request, "stop_requested", { session, turn });
      // Readers first: answering wakes the sender, who would take the processor from us. A seventh of their time, as measured.
      await setImmediate();
      return reply.code(202).send({ ...answer, session, position });
    },
  );
}

/** As much of a session as decides what becomes of an input. */
type Situation = Pick<View, "position" | "turn"> & { asks: readonly OpenAsk[]; queued: number };
type Sent = Situation & { data: Input };

/** The row tells most of the time that nothing is special, at a hundredth of what the view costs. */
async function situationOf(
  context: Context,
  session: string,
  person: string,
  { delivery }: NewInput,
): Promise<Situation> {
  const row = (await context.store.session(session, person)) ?? refuseUnknown(session);
  const { attention, queued, position } = row;
  const isAsked = attention !== null && attention.kind !== "failed";
  if (delivery !== "now" && !isAsked) return { position, queued, turn: null, asks: [] };
  const view = await viewOf(context, session);
  return { ...view, queued: view.queue.length };
}

/** `stopped` is the turn that ends for it. */
type Outcome = { input: string | null; answered?: string; stopped?: string };

async function decideInput(
  context: Context,
  { turn, asks, queued, data }: Sent,
  answers: NewInput["answers"],
): Promise<Decision<Outcome>> {
  const { input } = data;
  const admitted: NewFact = { type: "input_admitted", data };
  const questions = asks.filter(({ kind }) => kind === "clarify");
  const question = answers === undefined ? questions[0] : questions.find(({ ask }) => ask === answers);
  if (typeof answers === "string" && !question) await refuseAnswer(context, answers);
  const answer = question && answerIn(question, data);
  if (question && answer) {
    const { ask, kind } = question;
    return {
      facts: [{ type: "ask_answered", data: { ask, kind, answer } }],
      answer: { input: null, answered: ask },
    };
  }
  if (queued >= QUEUE_MAX)
    refuse("queue_full", `${queued} inputs wait already. Withdraw some, or let the session work them off.`, {
      queued,
    });
  if (data.delivery !== "now" || !turn || turn.stopRequested) return { facts: [admitted], answer: { input } };
  return {
    facts: [admitted, { type: "stop_requested", data: { turn: turn.id } }],
    answer: { input, stopped: turn.id },
  };
}

/** It was written for a question that is not open here: to take it for something else is not ours to decide. */
async function refuseAnswer({ store }: Context, ask: string): Promise<never> {
  const named = await store.ask(ask);
  if (named && named.state !== "open") refuseClosed(named);
  refuseField("body.answers", `names no question of this session: "${ask.slice(0, 100)}"`);
}

/** What stops the turn is no answer to it; nor is what an answer can't carry. */
function answerIn(question: OpenAsk, { text, delivery, attachments = [] }: Input) {
  if (delivery === "now" || attachments.length > 0) return undefined;
  if (typeof text !== "string" || text.length > ANSWER_MAX_CHARS) return undefined;
  return readWords(question, text);
}

/** Looks up the files it names, and puts a long text where long texts lie. */
export async function inputData(
  store: Store,
  session: string,
  input: string,
  { kind, text, attachments = [], delivery }: NewInput,
): Promise<Input> {
  const files = await attachmentsOf(store, session, attachments);
  return {
    input,
    kind,
    text: await storedText(store, session, text),
    ...(delivery === "now" && { delivery }),
    ...(files.length > 0 && { attachments: files }),
  };
}

/** As facts name them; from here on the session keeps them. */
export async function attachmentsOf(
  store: Store,
  session: string,
  refs: readonly { file: string }[],
): Promise<Attachment[]> {
  if (refs.length === 0) return [];
  const kept = await store.keepFiles(
    session,
    refs.map(({ file }) => file),
  );
  return kept.map(
    (file, index) =>
      file ??
      refuseField(
        `body.attachments.${index}.file`,
        `names no file: "${refs[index]?.file.slice(0, 100)}" has to be uploaded first, with POST /api/files`,
      ),
  );
}
