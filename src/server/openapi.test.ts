// What the server really sends is what /openapi.json says of it, to the last key.
import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openServer, type OpenServer } from "../../test/open-server.ts";
import type { ServerFrame } from "../protocol/socket.ts";
import { logFrom } from "../session/arbitrary-log.ts";
import type { AnyEvent, NewEvent } from "../session/event.ts";
import { formatPosition, START } from "../session/position.ts";

const LOGS = { numRuns: 12, seed: 1 };

test("views, pages of messages and pages of events are as they are published", async () => {
  const server = await openServer();
  const faults = await readDescription(server);
  const types = new Set<string>();
  for (const choices of fc.sample(fc.array(fc.nat(), { minLength: 60, maxLength: 120 }), LOGS)) {
    const id = await withLog(server, [...logFrom(choices).slice(1), ...RARE]);
    expect(faults("/api/sessions/{id}", await server.call("GET", `/api/sessions/${id}`))).toEqual([]);
    const page = `/api/sessions/${id}?from=${formatPosition(1, 0)}&limit=200`;
    expect(faults("/api/sessions/{id}", await server.call("GET", page))).toEqual([]);
    const events = await server.call<AnyEvent[]>("GET", `/api/sessions/${id}/events`);
    expect(faults("/api/sessions/{id}/events", events)).toEqual([]);
    for (const { type } of events) types.add(type);
  }
  expect(types.size).toBeGreaterThan(35);
});

test("what is sent otherwise than it is published is found", async () => {
  const server = await openServer();
  const faults = await readDescription(server);
  const { id } = await server.newSession({ input: { kind: "prompt", text: "hi" } });
  const shown = await server.call<{ view: { turn: unknown } }>("GET", `/api/sessions/${id}`);
  const at = "/api/sessions/{id}";
  expect(faults(at, { ...shown, view: { ...shown.view, turn: 5 } })).not.toEqual([]);
  expect(faults(at, { ...shown, view: { ...shown.view, unheardOf: true } })).not.toEqual([]);
  const [created] = await server.call<AnyEvent[]>("GET", `/api/sessions/${id}/events`);
  const page = "/api/sessions/{id}/events";
  expect(faults(page, [{ ...created, data: { profile: 5 } }])).not.toEqual([]);
  expect(faults(page, [{ ...created, type: "of_another_version", data: { profile: 5 } }])).toEqual([]);
});

test("every frame of the socket is as it is published", async () => {
  const output = { text: "said", from: 0, next: 4, bytes: 4 };
  const processes = {
    host: "test",
    measured: () => undefined,
    hasLeft: () => Promise.resolve(false),
    output: (_: string, from: number) =>
      Promise.resolve(from === 0 ? output : { text: "", from, next: from, bytes: 4 }),
  };
  const agents = { profiles: [], modelFault: () => undefined, processes };
  const server = await openServer({ agents: () => agents, limits: { heartbeatMs: 20 } });
  const faults = await readDescription(server);
  const { id } = await server.newSession({ input: { kind: "prompt", text: "go" } });
  await server.store.releaseLease((await server.store.claimSession(60_000))!.lease); // which gives it its host
  const socket = await server.socket();
  for (const topic of ["sessions", "asks", "processes"] as const) {
    socket.send({ op: "watch", topic });
    await socket.next("rows", (rows) => rows.topic === topic && rows.whole);
  }
  socket.send({ op: "attach", session: id });
  await socket.next("caught_up");
  await append(server, id, [
    { type: "process_started", data: { process: "prc_1", command: "make", cwd: "/w", background: true } },
    { type: "ask_opened", data: { ask: "ask_1", kind: "approval", title: "May I?" } },
  ]);
  await socket.next("events");
  await socket.next("rows", (rows) => rows.topic === "asks" && rows.rows.length > 0);
  socket.send({ op: "attach", process: "prc_1" });
  await socket.next("output");
  socket.send({ op: "attach", session: id, after: START, store: "sto_other" });
  await socket.next("resync", ({ reason }) => reason === "other_store");
  socket.send({ op: "attach", session: "ses_none" });
  await socket.next("error", ({ session }) => session === "ses_none");
  socket.send({ op: "attach", process: "prc_none" });
  await socket.next("error", ({ process }) => process === "prc_none");
  const withdrawn = { ask: "ask_1", kind: "approval", reason: "withdrawn" } as const;
  await append(server, id, [{ type: "ask_closed", data: withdrawn }]);
  await socket.next("rows", (rows) => rows.topic === "asks" && rows.gone !== undefined);
  await append(server, id, [{ type: "session_ended", data: { reason: "over" } }]);
  await socket.next("closed");
  await socket.next("ping");
  const ops = new Set(socket.frames.map(({ op }) => op));
  expect([...ops].toSorted()).toEqual(EVERY_OP);
  for (const frame of socket.frames) expect(faults("x-server-frames", frame)).toEqual([]);
  expect(faults("x-client-frames", { op: "attach", session: id, after: START })).toEqual([]);
  expect(faults("x-client-frames", { op: "attach" })).not.toEqual([]);
});

const EVERY_OP = Object.keys({
  caught_up: true,
  closed: true,
  error: true,
  events: true,
  hello: true,
  output: true,
  ping: true,
  resync: true,
  rows: true,
} satisfies Record<ServerFrame["op"], true>);

/** What an executor writes now and then, and the keeper. */
const RARE: NewEvent[] = [
  { type: "workspace_chosen", data: { workspace: "/w" } },
  { type: "model_changed", data: { model: "local/other" } },
  { type: "rule_added", data: { tool: "shell", match: "make *", decision: "allow" } },
  { type: "reset_skipped", data: { reasons: ["a turn"] } },
  { type: "compaction_started", data: { covers: formatPosition(1, 0) } },
  { type: "compaction_failed", data: { reason: "timeout" } },
  { type: "context_compacted", data: { summary: "s", covers: formatPosition(1, 0), method: "fallback" } },
  { type: "delegated", data: { session: "ses_2", call: "c", background: true } },
  { type: "task_linked", data: { task: "tsk_1", title: "T" } },
  { type: "task_finished", data: { task: "tsk_1", outcome: "done", summary: "s" } },
  { type: "process_started", data: { process: "prc_9", command: "make", cwd: "/w", background: true } },
  { type: "process_stale", data: { process: "prc_9" } },
  { type: "executor_lost", data: { epoch: 1 } },
  { type: "executor_gave_up", data: { epoch: 1, reason: "a bug" } },
  { type: "ask_opened", data: { ask: "ask_9", kind: "clarify", title: "Which?" } },
  {
    type: "input_admitted",
    data: {
      input: "inp_9",
      kind: "prompt",
      text: { blob: "blb_1", bytes: 70_000, preview: "how it begins" },
      attachments: [{ file: "fil_1", name: "a", type: "text/plain", bytes: 1 }],
      delegate: { session: "ses_2", outcome: "completed" },
    },
  },
];

async function withLog(server: OpenServer, events: NewEvent[]): Promise<string> {
  const { id } = await server.newSession();
  for (let n = 0; n < events.length; n += 50) await append(server, id, events.slice(n, n + 50));
  return id;
}

async function append({ store }: OpenServer, id: string, events: NewEvent[]): Promise<void> {
  expect(await store.append(id, events, { by: "client", author: { person: "owner" } })).toMatchObject({
    ok: true,
  });
}

type Schema = { [key: string]: unknown };
type Description = {
  paths: Record<string, { get: Schema & { responses: Record<string, { content: Record<string, Schema> }> } }>;
  components: { schemas: Schema };
};

// Fastify brings Ajv, and checks nothing by it here: a reader of JSON Schema that is not the one that wrote it.
const { Ajv2020 } = createRequire(import.meta.resolve("fastify"))("ajv/dist/2020.js") as {
  Ajv2020: new (options: object) => {
    addSchema(schema: Schema, id: string): void;
    validate(schema: Schema, data: unknown): boolean;
    errors: object[] | null;
  };
};

/** What is wrong about an answer of a path, or about a frame. */
async function readDescription(server: OpenServer): Promise<(of: string, data: unknown) => object[]> {
  const { paths, components } = await server.call<Description>("GET", "/openapi.json");
  const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
  ajv.addSchema(closed({ components }) as Schema, "api");
  const schemaOf = (of: string): Schema => {
    const published = of.startsWith("x-")
      ? paths["/api/ws"]!.get[of]
      : paths[of]!.get.responses["200"]!.content["application/json"]!["schema"];
    return closed(JSON.parse(JSON.stringify(published).replaceAll('"#/', '"api#/'))) as Schema;
  };
  const schemas = new Map<string, Schema>(); // each is compiled once
  return (of, data) => {
    const schema = schemas.get(of) ?? schemaOf(of);
    schemas.set(of, schema);
    return ajv.validate(schema, data) ? [] : (ajv.errors ?? []);
  };
}

/** Without room for more: what is sent but not described is a fault as well. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return inner["type"] === "object" && "properties" in inner
    ? { additionalProperties: false, ...inner }
    : inner;
}
