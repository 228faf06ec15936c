// Asks: listed, shown, and answered exactly once from anywhere.
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import { judgeAnswer } from "../session/answer.ts";
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
  await decideOnView(context, request, session, async ({ asks }) => {
    if (!asks.some(({ ask }) => ask === id)) refuseClosed(await askOf(context, id));
    return {
      facts: [{ type: "ask_answered", data: { ask: id, kind, answer: judged.answer } }],
      answer: null,
    };
  });
  return askOf(context, id);
}

async function askOf({ store }: Context, id: string): Promise<AskRow> {
  return (await store.ask(id)) ?? refuse("not_found", `There is no ask "${id.slice(0, 100)}".`);
}
