// Asks: listed, shown, and answered exactly once from anywhere.
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import { QUEUE_MAX } from "../protocol/limits.ts";
import { isDenial, judgeAnswer } from "../session/answer.ts";
import type { AskAnswer } from "../session/asks.ts";
import type { NewFact } from "../session/event.ts";
import type { View } from "../session/view.ts";
import type { AskRow } from "../store/store.ts";
import type { Context } from "./context.ts";
import { answeredOnce } from "./command.ts";
import { refuseClosed } from "./closed-ask.ts";
import { decideOnView } from "./decide.ts";
import { noteDeed } from "./deed.ts";
import { pageQuery } from "./page.ts";
import { refuse, refuseField } from "./refusal.ts";
import type { App } from "./zod.ts";

const Params = z.object({ id: z.string() });

export function askRoutes(app: App, context: Context): void {
  const { store } = context;

  app.get(
    "/api/asks",
    {
      schema: {
        summary: "List asks, newest first",
        querystring: http.ListAsks,
        response: { 200: http.AskList },
      },
    },
    async (request) => {
      const { open, session, limit, after } = pageQuery("ask", request.query);
      return store.asks({
        limit,
        ...(open !== undefined && { open }),
        ...(session !== undefined && { sessions: [session] }),
        ...(after !== undefined && { after }),
      });
    },
  );

  app.get(
    "/api/asks/:id",
    { schema: { summary: "Show an ask", params: Params, response: { 200: http.Ask } } },
    async (request) => askOf(context, request.params.id),
  );

  app.post(
    "/api/asks/:id/answer",
    {
      schema: {
        summary: "Answer an ask; the first answer counts, whoever comes later is told which it was",
        params: Params,
        body: http.NewAnswer,
        response: { 200: http.Ask },
      },
    },
    async (request) => {
      const { id } = request.params;
      const answered = await answeredOnce(context, request, () =>
        answerAsk(context, request, id, request.body),
      );
      const { session, kind, answer } = answered;
      const choice = answer?.choice;
      await noteDeed(context, request, "ask_answered", { ask: id, session, kind, ...(choice && { choice }) });
      return answered;
    },
  );
}

async function answerAsk(
  context: Context,
  request: FastifyRequest,
  id: string,
  body: z.output<typeof http.NewAnswer>,
): Promise<AskRow> {
  const asked = await askOf(context, id);
  const judged = judgeAnswer(asked, body);
  if (!judged.ok) refuseField(`body.${judged.path}`, judged.message);
  const { session, kind } = asked;
  const { answer } = judged;
  const input = context.ids.next("inp");
  await decideOnView(context, request, session, async (view) => {
    if (!view.asks.some(({ ask }) => ask === id)) refuseClosed(await askOf(context, id));
    return {
      facts: [{ type: "ask_answered", data: { ask: id, kind, answer } }, ...wordsBeside(view, answer, input)],
      answer: null,
    };
  });
  return askOf(context, id);
}

/** A denial and an answer are told with their words. What is allowed runs as it is: words beside it steer what comes next. */
function wordsBeside({ queue }: View, { choice, text }: AskAnswer, input: string): NewFact[] {
  if (choice === undefined || isDenial(choice) || text === undefined) return [];
  if (queue.length >= QUEUE_MAX)
    refuse("queue_full", `${queue.length} inputs wait already: allow it without words, or withdraw some.`, {
      queued: queue.length,
    });
  return [{ type: "input_admitted", data: { input, kind: "steer", text } }];
}

async function askOf({ store }: Context, id: string): Promise<AskRow> {
  return (await store.ask(id)) ?? refuse("not_found", `There is no ask "${id.slice(0, 100)}".`);
}
