// POST /api/sessions/:id/move: a session's work belongs to its host, and another takes it only when a person says so. What the
// lost host was running ends as unknown first, so that whoever goes on neither waits for it nor runs it again.
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { NewFact } from "../session/event.ts";
import { openCalls } from "../session/next-step.ts";
import type { View } from "../session/view.ts";
import type { ProcessRow } from "../store/store.ts";
import type { Context } from "./context.ts";
import { decideOnView } from "./decide.ts";
import { refuse } from "./refusal.ts";
import { refuseUnknown } from "./session-refusals.ts";
import type { App } from "./zod.ts";

const LISTED_MAX = 200;

export function moveRoutes(app: App, context: Context): void {
  const { store } = context;
  app.post(
    "/api/sessions/:id/move",
    {
      schema: {
        summary: "Take a session whose host is lost to the host of this server",
        params: z.object({ id: z.string() }),
        body: http.MoveSession.nullish(),
        response: { 200: http.Moved },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { host, here, lost } = (await store.sessionHost(id)) ?? refuseUnknown(id);
      if (host === null || host === here) return { session: id, from: host, to: here, lost: [] };
      if (!lost) refuseAlive(id, host);
      const running = await runningOn(context, id, host);
      if (request.body?.confirm !== true) refuseUnconfirmed(id, host, here, running);
      const { answer } = await decideOnView(context, request, id, (view) => ({
        facts: goneFacts(view, running, host, here),
        answer: { session: id, from: host, to: here, lost: running.map((process) => process.id) },
      }));
      const moved = await store.moveSession(id); // after the facts: nobody here may find what only ran there
      if (!moved.ok && moved.code === "not_found") refuseUnknown(id);
      if (!moved.ok) refuseAlive(id, host);
      return answer;
    },
  );
}

function goneFacts(view: View, running: readonly ProcessRow[], from: string, to: string): NewFact[] {
  const lost = new Set(running.map(({ id }) => id));
  const calls = openCalls(view).filter(({ process }) => process !== null && lost.has(process));
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
    { type: "notice", data: { level: "warn", text: `Moved from the lost host "${from}" to "${to}".` } },
  ];
}

async function runningOn({ store }: Context, session: string, host: string): Promise<ProcessRow[]> {
  const { items } = await store.processes({ sessions: [session], running: true, host, limit: LISTED_MAX });
  return items;
}

function refuseAlive(id: string, host: string): never {
  return refuse("conflict", `The host "${host}" is there, and ${id} belongs to it: nothing is moved.`, {
    host,
  });
}

function refuseUnconfirmed(id: string, from: string, to: string, running: readonly ProcessRow[]): never {
  const what =
    running.length === 0
      ? "Nothing of it is known to run there"
      : `${running.length} of its commands may still run there and will count as unknown`;
  return refuse(
    "live",
    `${id} belongs to the host "${from}", which is lost. ${what}. Confirm to move it to "${to}".`,
    {
      host: from,
      to,
      processes: running.map(({ id: process, command, startedAt }) => ({ id: process, command, startedAt })),
    },
  );
}
