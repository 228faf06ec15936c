// Sessions: create, list, show, change, delete, fork, and how far a person has read.
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { NewEvent } from "../session/event.ts";
import type { Position } from "../session/position.ts";
import { parseListCursor } from "../store/list-cursor.ts";
import type { Command, Created, Forked, NewSession } from "../store/store.ts";
import { authorOf } from "./access.ts";
import { answeredOnce, commandOf, recalled, refuseReused, unlessDone } from "./command.ts";
import type { Context } from "./context.ts";
import { newDeed, tellDeed } from "./deed.ts";
import { pageBack, pageFrom } from "./history.ts";
import { inputData } from "./inputs.ts";
import { checkModel, checkProfile, DEFAULT_PROFILE } from "./profiles.ts";
import { asPublished } from "./published.ts";
import { refuse, refuseField } from "./refusal.ts";
import { wireRow } from "./rows.ts";
import { refuseEnded, refuseUnknown } from "./session-refusals.ts";
import type { App } from "./zod.ts";

const Params = z.object({ id: z.string() });

const ShowSession = z
  .strictObject({
    before: http.PositionText.optional(),
    from: http.PositionText.optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  })
  .refine(({ before, from }) => before === undefined || from === undefined, "give before or from, not both");
const ShownSession = z.union([
  http.SessionRow.extend({ view: asPublished("View") }),
  z.object({ messages: z.array(asPublished("Message")), next: http.PositionText.nullable() }),
]);
const Force = z.strictObject({ force: z.enum(["true", "false"]).optional() });

export function sessionRoutes(app: App, context: Context): void {
  const { store } = context;

  app.post(
    "/api/sessions",
    {
      schema: {
        summary: "Create a session, perhaps with its first input in the same commit",
        body: http.NewSession.nullish(),
        response: { 201: http.SessionRow },
      },
    },
    async (request, reply) => {
      const command = commandOf(request);
      const { session } = await unlessDone(store, command, () =>
        createSession(context, request, request.body ?? {}, command),
      );
      return reply.code(201).header("location", `/api/sessions/${session.id}`).send(session);
    },
  );

  app.get(
    "/api/sessions",
    {
      schema: {
        summary: "List sessions",
        querystring: http.ListSessions,
        response: { 200: http.SessionList },
      },
    },
    async (request) => {
      const { after } = request.query;
      if (after !== undefined && parseListCursor(after) === undefined)
        refuseField("query.after", "must be the `next` of the page before, as it was given");
      const rows = await store.sessions(defined(request.query), request.caller.person);
      return { items: rows.items.map((row) => wireRow(row, context.damage)), next: rows.next };
    },
  );

  app.get(
    "/api/sessions/:id",
    {
      schema: {
        summary: "Show a session as it is now, or a page of its messages",
        params: Params,
        querystring: ShowSession,
        response: { 200: ShownSession },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { before, from, limit } = request.query;
      const row = await rowOf(context, request, id);
      if (before !== undefined) return pageBack(store, id, before, limit);
      if (from !== undefined) return pageFrom(store, id, from, limit);
      return { ...row, view: (await store.view(id)) ?? refuseUnknown(id) };
    },
  );

  app.patch(
    "/api/sessions/:id",
    {
      schema: {
        summary: "Title, pin, archive a session, or change its model",
        params: Params,
        body: http.PatchSession,
        response: { 200: http.SessionRow },
      },
    },
    (request) =>
      answeredOnce(context, request, async () => {
        const { id } = request.params;
        await changeSession(context, request, id, request.body);
        return rowOf(context, request, id);
      }),
  );

  app.delete(
    "/api/sessions/:id",
    {
      schema: { summary: "Delete a session", params: Params, querystring: Force, answers: { 204: [] } },
    },
    async (request, reply) => {
      const { id } = request.params;
      const force = request.query.force === "true";
      const deed = newDeed(context, request, "session_deleted", { session: id, force });
      const deleted = await store.deleteSession(id, { force }, commandOf(request), deed);
      if (!deleted.ok) {
        if (deleted.code === "key_reused") refuseReused();
        if (deleted.code === "not_found") refuseUnknown(id);
        const { status, processes } = deleted;
        const runs = processes === 0 ? "" : ` and has ${processes} processes that run`;
        refuse("live", `${id} is ${status}${runs}. Stop that first, or delete it with ?force=true.`, {
          status_now: status,
          processes,
        });
      }
      tellDeed(request, deed);
      return reply.code(204).send();
    },
  );

  app.post(
    "/api/sessions/:id/fork",
    {
      schema: {
        summary: "Make a session of one's own from another's history",
        params: Params,
        body: http.NewFork.nullish(),
        response: { 201: http.SessionRow },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const command = commandOf(request);
      // Of one that was made before, the original may be gone.
      const { session } =
        (await recalled<Fork>(store, command)) ??
        (await forkSession(context, request, id, request.body?.at, command));
      return reply.code(201).header("location", `/api/sessions/${session.id}`).send(session);
    },
  );

  app.put(
    "/api/sessions/:id/seen",
    {
      schema: {
        summary: "How far this person has read; only rises",
        params: Params,
        body: http.Seen,
        response: { 200: http.Seen },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { person, kind } = request.caller;
      if (kind === "program")
        refuse("forbidden", "A program's token does not read for a person: it never moves what is seen.");
      const moved = await store.setSeen(person, id, request.body.position);
      if (moved.ok) return { position: moved.position };
      if (moved.code === "not_found") refuseUnknown(id);
      const position = (await store.head(id))?.position;
      return refuse("position_ahead", `${id} does not reach to ${request.body.position} yet.`, { position });
    },
  );
}

async function createSession(
  context: Context,
  { caller }: FastifyRequest,
  { profile = DEFAULT_PROFILE, input, ...given }: z.output<typeof http.NewSession>,
  command: Command | undefined,
): Promise<Extract<Created, { ok: true }>> {
  const { store, ids, metrics } = context;
  await checkProfile(context, profile);
  if (given.model !== undefined) await checkModel(context, given.model);
  const id = ids.next("ses");
  const first: NewEvent[] = [];
  if (input !== undefined)
    first.push({ type: "input_admitted", data: await inputData(store, id, ids.next("inp"), input) });
  const session: NewSession = { ...defined(given), id, profile, first };
  const created = await store.createSession(session, authorOf(caller), command);
  if (!created.ok) {
    if (created.code === "key_reused") refuseReused();
    throw new Error(`a new id, ${id}, was taken`);
  }
  if (!created.replayed) metrics.appended.add(1 + first.length);
  return created;
}

type Fork = Extract<Forked, { ok: true }>;

async function forkSession(
  { store, ids }: Context,
  { caller }: FastifyRequest,
  id: string,
  at: Position | undefined,
  command: Command | undefined,
): Promise<Fork> {
  const head = await store.head(id);
  if (head === undefined || head.kind !== "session") refuseUnknown(id);
  const { position } = head;
  if (at !== undefined && at > position)
    refuse("position_ahead", `${id} ends at ${position}: there is nothing at ${at} to fork from.`, {
      position,
    });
  const forked = await store.forkSession(id, at, ids.next("ses"), authorOf(caller), command);
  if (forked.ok) return forked;
  if (forked.code === "key_reused") refuseReused();
  if (forked.code === "not_found") refuseUnknown(id);
  refuse("conflict", `${id} has nothing whole at or before ${at ?? position} to fork from.`, { position });
}

async function changeSession(
  context: Context,
  request: FastifyRequest,
  id: string,
  { title, model, pinned, archived }: z.output<typeof http.PatchSession>,
): Promise<void> {
  if (model !== undefined) await checkModel(context, model);
  const facts: NewEvent[] = [];
  if (title !== undefined) facts.push({ type: "session_titled", data: { title } });
  if (model !== undefined) facts.push({ type: "model_changed", data: { model } });
  if (facts.length > 0) await appendFacts(context, request, id, facts); // first what can be refused
  if (pinned === undefined && archived === undefined) return;
  const command = arrangingCommand(request, facts.length > 0);
  const arranged = await context.store.arrangeSession(id, defined({ pinned, archived }), command);
  if (!arranged.ok && arranged.code === "key_reused") refuseReused();
  if (!arranged.ok) refuseUnknown(id);
}

async function appendFacts(
  { store, metrics }: Context,
  request: FastifyRequest,
  id: string,
  facts: NewEvent[],
): Promise<void> {
  const command = commandOf(request);
  const author = authorOf(request.caller);
  const appended = await store.append(id, facts, { by: "client", author, ...(command && { command }) });
  if (appended.ok) {
    if (!appended.replayed) metrics.appended.add(facts.length);
    return;
  }
  if (appended.code === "ended") refuseEnded(id, appended.successor);
  if (appended.code === "key_reused") refuseReused();
  refuseUnknown(id);
}

/** A key stands for one effect in the store: the second of a patch has a scope of its own, so that a retry does both once. */
function arrangingCommand(request: FastifyRequest, isSecond: boolean): Command | undefined {
  const command = commandOf(request);
  return command && isSecond ? { ...command, scope: `${command.scope}/arranging` } : command;
}

async function rowOf(
  { store, damage }: Context,
  { caller }: FastifyRequest,
  id: string,
): Promise<http.SessionRow> {
  const row = await store.session(id, caller.person);
  return row === undefined ? refuseUnknown(id) : wireRow(row, damage);
}

/** Without the keys that were left out: a key that is there but undefined is another thing to the store. */
function defined<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> };
}
