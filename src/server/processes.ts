// Processes: listed, shown, read, written to, stopped. What is done to one is a row that its own host carries out once.
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import { parseProcessCursor } from "../store/process-cursor.ts";
import { requestOutcome } from "../store/request-outcome.ts";
import type { ProcessRequest, ProcessRow } from "../store/store.ts";
import { commandOf, refuseReused } from "./command.ts";
import type { Context } from "./context.ts";
import { noteDeed } from "./deed.ts";
import { outputElsewhere, rowElsewhere, rowsElsewhere } from "./other-host.ts";
import { wireProcess } from "./process-rows.ts";
import { liveHere } from "./profiles.ts";
import { refuse, refuseField } from "./refusal.ts";
import type { App } from "./zod.ts";

const Params = z.object({ id: z.string() });
/** How long an answer waits for what came of a request. It goes on without us. */
const OUTCOME_WITHIN_MS = 8_000;

export function processRoutes(app: App, context: Context): void {
  const { store } = context;

  app.get(
    "/api/processes",
    {
      schema: {
        summary: "List processes, newest first",
        querystring: http.ListProcesses,
        response: { 200: http.ProcessList },
      },
    },
    async (request) => {
      const { session, status, all, class: wanted, limit, after } = request.query;
      if (after !== undefined && parseProcessCursor(after) === undefined)
        refuseField("query.after", "must be the `next` of the page before, as it was given");
      const page = await store.processes({
        limit,
        ...(session !== undefined && { sessions: await store.scope(session) }),
        ...(status !== undefined ? { status } : !all && { running: true }),
        ...(after !== undefined && { after }),
      });
      const items = await wireAll(context, request, page.items);
      return {
        items: wanted === undefined ? items : items.filter((item) => item.class === wanted),
        next: page.next,
      };
    },
  );

  app.get(
    "/api/processes/:id",
    { schema: { summary: "Show a process", params: Params, response: { 200: http.Process } } },
    async (request) => {
      const row = await rowOf(context, request.params.id);
      const here = context.agents?.()?.processes?.host;
      const elsewhere =
        here === undefined || row.host === here ? undefined : rowElsewhere(context, request.headers, row);
      return (await elsewhere) ?? wireProcess(context, row);
    },
  );

  app.get(
    "/api/processes/:id/output",
    {
      schema: {
        summary: "Read what a process has said, from a byte on",
        params: Params,
        querystring: http.ReadOutput,
        response: { 200: http.ProcessOutput },
      },
    },
    async (request) => {
      const row = await rowOf(context, request.params.id);
      const { offset, limit } = request.query;
      const live = await liveHere(context);
      if (row.host !== live.host) return outputElsewhere(context, request.headers, row, { offset, limit });
      const { text, from, next, bytes } = await live.output(row.id, offset, limit);
      return { process: row.id, text, from, next, bytes, over: row.status !== "running" && next >= bytes };
    },
  );

  app.post(
    "/api/processes/:id/input",
    {
      schema: {
        summary: "Write to the standard input of a process that was started with one",
        params: Params,
        body: http.NewProcessInput,
        response: { 200: http.ProcessRequest, 202: http.ProcessRequest },
      },
    },
    (request, reply) => ask(context, request, reply, { do: "write", text: request.body.text }, "written"),
  );

  app.post(
    "/api/processes/:id/stop",
    {
      schema: {
        summary: "End a process with all that came of it",
        params: Params,
        body: http.StopProcess.nullish(),
        response: { 200: http.ProcessRequest, 202: http.ProcessRequest },
      },
    },
    (request, reply) => {
      const signal = request.body?.signal;
      const wish = { do: "stop", ...(signal !== undefined && { signal }) } as const;
      return ask(context, request, reply, wish, "stopped");
    },
  );
}

/** Those of other hosts as these know them, where they can be asked. */
async function wireAll(
  context: Context,
  { headers, url }: FastifyRequest,
  rows: readonly ProcessRow[],
): Promise<http.Process[]> {
  const here = context.agents?.()?.processes?.host;
  const hosts = new Set(rows.map(({ host }) => host).filter((host) => host !== null && host !== here));
  const elsewhere = here === undefined ? undefined : await rowsElsewhere(context, headers, url, hosts);
  return Promise.all(rows.map(async (row) => elsewhere?.get(row.id) ?? wireProcess(context, row)));
}

type Asking = FastifyRequest<{ Params: { id: string } }>;

/** 202 when its host has not said yet what came of it: it is done all the same. */
async function ask(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  wish: ProcessRequest["wish"],
  good: string,
) {
  const { store } = context;
  const { id: process } = (request as Asking).params; // as the route's schema has it
  const id = requestId(context, request);
  const requested = await store.requestProcess({ id, process, wish });
  if (!requested.ok) {
    if (requested.code === "over") refuse("over", `${process} runs no longer.`);
    refuseUnknown(process);
  }
  const { request: kept } = requested;
  if (kept.process !== process || JSON.stringify(kept.wish) !== JSON.stringify(wish)) refuseReused();
  const deed = wish.do === "stop" ? "process_stop_requested" : "process_input_sent";
  await noteDeed(context, request, deed, { process });
  const outcome =
    kept.outcome ?? (await requestOutcome(store, kept, AbortSignal.timeout(OUTCOME_WITHIN_MS))) ?? null;
  if (outcome !== null && outcome !== good) refuse("not_done", `${process}: ${outcome}.`, { outcome });
  return reply.code(outcome === null ? 202 : 200).send({ id, process, outcome });
}

/** The same key is the same request. */
function requestId({ ids }: Context, request: FastifyRequest): string {
  const command = commandOf(request);
  if (command === undefined) return ids.next("req");
  const digest = createHash("sha256").update(`${command.scope}\n${command.key}`).digest("hex");
  return `req_${digest.slice(0, 40)}`;
}

async function rowOf({ store }: Context, id: string): Promise<ProcessRow> {
  return (await store.process(id)) ?? refuseUnknown(id);
}

function refuseUnknown(id: string): never {
  return refuse("not_found", `There is no process "${id.slice(0, 100)}".`);
}
