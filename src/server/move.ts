// POST /api/sessions/:id/move: a session's work belongs to its host, and another takes it only when a person says so. What the
// lost host was running ends as unknown first, so that whoever goes on neither waits for it nor runs it again. Whoever works
// for the session on that host goes with it, and before it: one that was moved by half can be moved again.
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { NewFact } from "../session/event.ts";
import { openCalls } from "../session/next-step.ts";
import { seqOf } from "../session/position.ts";
import type { View } from "../session/view.ts";
import type { ProcessRow } from "../store/store.ts";
import { authorOf } from "./access.ts";
import { answeredOnce, commandOf } from "./command.ts";
import type { Context } from "./context.ts";
import { decideOnView } from "./decide.ts";
import { refuse } from "./refusal.ts";
import { refuseUnknown } from "./session-refusals.ts";
import type { App } from "./zod.ts";

const LISTED_MAX = 200;
const TRIES_MAX = 20;

export function moveRoutes(app: App, context: Context): void {
  app.post(
    "/api/sessions/:id/move",
    {
      schema: {
        summary: "Take a session whose host is lost to the host of this server, with its delegates there",
        params: z.object({ id: z.string() }),
        body: http.MoveSession.nullish(),
        response: { 200: http.Moved },
      },
    },
    (request) =>
      answeredOnce(context, request, () =>
        moveSession(context, request, request.params.id, request.body?.confirm === true),
      ),
  );
}

async function moveSession(
  context: Context,
  request: FastifyRequest,
  id: string,
  isConfirmed: boolean,
): Promise<z.output<typeof http.Moved>> {
  const { store } = context;
  const { host, here, lost } = (await store.sessionHost(id)) ?? refuseUnknown(id);
  if (host === null || host === here)
    return { session: id, from: host, to: here, lost: [], delegates: [], left: [] };
  if (!lost) refuseAlive(id, host);
  const { delegates, left } = await delegatesOf(context, request, id, { from: host, to: here });
  const running = await runningOn(context, [...delegates, id], host);
  if (!isConfirmed) refuseUnconfirmed(id, host, here, running, delegates);
  const of = (session: string) => running.filter((process) => process.session === session);
  for (const delegate of delegates)
    await moveDelegate(context, request, delegate, of(delegate), { from: host, to: here });
  const { answer } = await decideOnView(context, request, id, (view) => ({
    facts: goneFacts(view, of(id), { from: host, to: here }, left),
    answer: {
      session: id,
      from: host,
      to: here,
      lost: running.map((process) => process.id),
      delegates,
      left,
    },
  }));
  const moved = await store.moveSession(id); // after the facts: nobody here may find what only ran there
  if (!moved.ok && moved.code === "not_found") refuseUnknown(id);
  if (!moved.ok) refuseAlive(id, host);
  return answer;
}

type Move = { from: string; to: string };
type Left = { session: string; host: string };

/** Those that are on the same host, and those that are on a third one and stay there. What has ended works nowhere. */
async function delegatesOf(
  { store }: Context,
  { caller }: FastifyRequest,
  session: string,
  { from, to }: Move,
): Promise<{ delegates: string[]; left: Left[] }> {
  const delegates: string[] = [];
  const left: Left[] = [];
  const rows = await store.sessionsById(await store.scope(session), caller.person);
  for (const { id, origin, status } of rows) {
    if (id === session || origin?.kind !== "delegation" || status === "ended") continue;
    const host = (await store.sessionHost(id))?.host ?? to;
    if (host === from) delegates.push(id);
    else if (host !== to) left.push({ session: id, host });
  }
  return { delegates, left };
}

/** Once under the request's key, as the session itself; one that changed hands or is gone meanwhile is let be. */
async function moveDelegate(
  { store }: Context,
  request: FastifyRequest,
  session: string,
  running: readonly ProcessRow[],
  move: Move,
): Promise<void> {
  const command = commandOf(request);
  const writer = {
    by: "client",
    author: authorOf(request.caller),
    ...(command && { command: { ...command, scope: `${command.scope}/${session}` } }),
  } as const;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const view = await store.view(session);
    if (!view) return;
    const told = await store.append(session, goneFacts(view, running, move, []), writer, {
      expectSeq: seqOf(view.position),
    });
    if (!told.ok && told.code === "moved") continue;
    if (told.ok) await store.moveSession(session);
    return;
  }
  refuse("not_ready", `${session} changes too fast to be moved. Try again.`);
}

function goneFacts(
  view: View,
  running: readonly ProcessRow[],
  { from, to }: Move,
  left: readonly Left[],
): NewFact[] {
  const lost = new Set(running.map(({ id }) => id));
  const calls = openCalls(view).filter(({ process }) => process !== null && lost.has(process));
  const stay = left.map(({ session, host }) => ` ${session} works for it on "${host}", and stays there.`);
  return [
    ...running.map(({ id }): NewFact => ({ type: "process_lost", data: { process: id } })),
    ...calls.map(({ call }): NewFact => ({
      type: "tool_finished",
      data: {
        call,
        status: "unknown",
        result: `The host "${from}" was lost while this ran: whether it finished is not known, verify.`,
      },
    })),
    {
      type: "notice",
      data: { level: "warn", text: `Moved from the lost host "${from}" to "${to}".${stay.join("")}` },
    },
  ];
}

async function runningOn(
  { store }: Context,
  sessions: readonly string[],
  host: string,
): Promise<ProcessRow[]> {
  const { items } = await store.processes({ sessions, running: true, host, limit: LISTED_MAX });
  return items;
}

function refuseAlive(id: string, host: string): never {
  return refuse("conflict", `The host "${host}" is there, and ${id} belongs to it: nothing is moved.`, {
    host,
  });
}

function refuseUnconfirmed(
  id: string,
  from: string,
  to: string,
  running: readonly ProcessRow[],
  delegates: readonly string[],
): never {
  const what =
    running.length === 0
      ? "Nothing of it is known to run there"
      : `${running.length} of its commands may still run there and will count as unknown`;
  const along = delegates.length === 0 ? "it" : `it and the ${delegates.length} that work for it there`;
  return refuse(
    "live",
    `${id} belongs to the host "${from}", which is lost. ${what}. Confirm to move ${along} to "${to}".`,
    {
      host: from,
      to,
      delegates,
      processes: running.map(({ id: process, command, startedAt }) => ({ id: process, command, startedAt })),
    },
  );
}
