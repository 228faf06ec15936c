// The trail: who answered, stopped, forced or changed what is allowed is found afterwards, with the device it was done from.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  openServer,
  until,
  useServer,
  type OpenServer,
  type OpenServerOptions,
} from "../../test/open-server.ts";
import type { DeedInfo } from "../protocol/http.ts";
import type { DeedName } from "../session/deed.ts";
import type { AnyEvent, NewEvent } from "../session/event.ts";
import { START } from "../session/position.ts";
import { StorageError, type Store } from "../store/store.ts";

const shared = useServer();

/** Where each change is found again: in a session's log, in a row of its own, or in the trail. */
const TRAIL: Record<string, "fact" | "row" | DeedName> = {
  "POST /api/asks/:id/answer": "ask_answered",
  "POST /api/sessions": "fact",
  "PATCH /api/sessions/:id": "fact", //         but for how a list is arranged
  "DELETE /api/sessions/:id": "session_deleted",
  "POST /api/sessions/:id/fork": "fact",
  "POST /api/sessions/import": "fact",
  "POST /api/sessions/:id/inputs": "fact", //    and a deed where it answers or stops
  "PATCH /api/sessions/:id/inputs/:input": "fact",
  "DELETE /api/sessions/:id/inputs/:input": "fact",
  "POST /api/sessions/:id/inputs/:input/resend": "fact",
  "POST /api/sessions/:id/move": "fact",
  "POST /api/sessions/:id/queue/release": "fact",
  "POST /api/sessions/:id/regenerate": "fact",
  "POST /api/sessions/:id/retry": "fact",
  "PUT /api/sessions/:id/seen": "row", //        how far a person has read
  "POST /api/sessions/:id/stop": "stop_requested",
  "POST /api/sessions/:id/undo": "fact",
  "POST /api/processes/:id/input": "process_input_sent",
  "POST /api/processes/:id/stop": "process_stop_requested",
  "DELETE /api/rules/:id": "rule_removed",
  "POST /api/tokens": "token_made",
  "DELETE /api/tokens/:id": "token_revoked",
  "POST /api/login": "login_made",
  "POST /api/logout": "login_revoked",
  "POST /api/login-links": "login_link_made",
  "DELETE /api/logins/:id": "login_revoked",
  "POST /api/files": "row",
};

test("whatever changes something says where it leaves its trail", () => {
  const changing = shared().routes.flatMap(({ method, url, config }) =>
    [method]
      .flat()
      .filter((each) => !["GET", "HEAD"].includes(each) && config?.notAllowed !== true)
      .map((each) => `${each} ${url}`),
  );
  expect(changing.toSorted()).toEqual(Object.keys(TRAIL).toSorted());
});

test("who answered an ask, and who stopped a turn, is its fact's author with the device", async () => {
  const { server, ada } = await withAda();
  const id = await asking(server, "1");
  await ada("POST", "/api/asks/ask_1/answer", 200, { text: "that one" });
  await ada("POST", `/api/sessions/${id}/stop`, 202);
  const facts = await server.store.events(id, START, 100, "facts");
  const by = (type: AnyEvent["type"]) => facts.find((fact) => fact.type === type)?.by;
  expect([by("ask_answered"), by("stop_requested")]).toEqual([
    { person: "ada", device: "phone" },
    { person: "ada", device: "phone" },
  ]);
});

test("whoever lets happen, ends, lets in or out is in the trail and in the server's log, once though they said it twice", async () => {
  const { server, ada, trail, logged, credential } = await withAda();
  const { store } = server;
  const id = await asking(server, "1");
  await started(store, id, "prc_1", "prc_2");
  await store.addRule({ id: "rul_1", ...allowed });
  const first = await login(server);
  const second = await login(server);
  const carriedOut = carryOut(store, ["written", "stopped"]);

  await ada.twice("POST", "/api/asks/ask_1/answer", 200, { text: "hunter2" });
  await ada.twice("POST", `/api/sessions/${id}/stop`, 202);
  await ada.twice("POST", "/api/processes/prc_1/input", 200, { text: "hunter2" });
  await ada.twice("POST", "/api/processes/prc_2/stop", 200);
  await carriedOut;
  await ada.twice("DELETE", `/api/sessions/${id}?force=true`, 204);
  await ada.twice("DELETE", "/api/rules/rul_1", 204);
  const made = (await ada.twice("POST", "/api/tokens", 201, { name: "ci" })) as { id: string; token: string };
  await ada.twice("DELETE", `/api/tokens/${made.id}`, 204);
  const link = (await ada.twice("POST", "/api/login-links", 201)) as { url: string; expiresAt: string };
  await ada.twice("DELETE", `/api/logins/${first.id}`, 204);
  const out = { headers: { cookie: second.cookie, origin: server.url }, method: "POST" };
  expect((await fetch(`${server.url}/api/logout`, out)).status).toBe(204);

  const what: [DeedName, DeedInfo["what"]][] = [
    ["ask_answered", { ask: "ask_1", session: id, kind: "clarify" }],
    ["stop_requested", { session: id, turn: "turn_1" }],
    ["process_input_sent", { process: "prc_1" }],
    ["process_stop_requested", { process: "prc_2" }],
    ["session_deleted", { session: id, force: true }],
    ["rule_removed", { rule: "rul_1" }],
    ["token_made", { made: made.id, for: "ada", kind: "program" }],
    ["token_revoked", { revoked: made.id }],
    ["login_link_made", { expiresAt: link.expiresAt }],
    ["login_revoked", { revoked: first.id }],
  ];
  const by = { by: { person: "ada", device: "phone" }, credential };
  expect(await trail(credential)).toMatchObject(what.map(([deed, to]) => ({ deed, what: to, ...by })));
  expect(logged()).toMatchObject(what.flatMap(([deed, to]) => Array(2).fill({ deed, ...to, ...by })));
  expect(await trail(second.id)).toMatchObject([
    { deed: "login_made", what: { made: second.id }, by: { person: "owner" } },
    { deed: "login_revoked", what: { revoked: second.id }, by: { person: "owner" } },
  ]);
  const all = await trail();
  const promised = Object.values(TRAIL).filter((where) => where !== "fact" && where !== "row");
  expect(new Set(all.map(({ deed }) => deed))).toEqual(new Set(promised));
  for (const secret of ["hunter2", made.token, link.url.split("#")[1]!, second.cookie.split("=")[1]!])
    expect(JSON.stringify(all)).not.toContain(secret);
});

test("what is sent to a session is a deed where it answers a question or stops a turn, and else none", async () => {
  const { server, ada, trail, credential } = await withAda();
  const id = await asking(server, "1");
  await ada.twice("POST", `/api/sessions/${id}/inputs`, 202, { kind: "prompt", text: "that one" });
  await ada.twice("POST", `/api/sessions/${id}/inputs`, 202, { kind: "prompt", text: "and then" });
  const sent = await ada.twice("POST", `/api/sessions/${id}/inputs`, 202, {
    kind: "prompt",
    text: "rather this",
    delivery: "now",
  });
  expect(Object.keys(sent as object).toSorted()).toEqual(["input", "position", "session"]);
  expect(await trail(credential)).toMatchObject([
    { deed: "ask_answered", what: { ask: "ask_1", session: id, kind: "clarify" } },
    { deed: "stop_requested", what: { session: id, turn: "turn_1" } },
  ]);
});

test("an approval is in the trail with its choice, and what changed nothing is not there", async () => {
  const { server, ada, trail, credential } = await withAda();
  const { id } = await server.newSession();
  const asked: NewEvent = { type: "ask_opened", data: { ask: "ask_1", kind: "approval", title: "rm" } };
  await server.store.append(id, [asked], { by: "client", author: { person: "owner" } });
  await ada("POST", "/api/asks/ask_1/answer", 200, { choice: "deny", text: "not there" });
  await ada("POST", "/api/asks/ask_1/answer", 409, { choice: "once" });
  await ada("POST", `/api/sessions/${id}/stop`, 200); // nothing runs
  await ada("DELETE", "/api/rules/rul_none", 404);
  const stopped = await asking(server, "2");
  await ada("POST", `/api/sessions/${stopped}/stop`, 202);
  await ada("POST", `/api/sessions/${stopped}/stop`, 202); // it is being stopped already
  expect(await trail(credential)).toMatchObject([
    { deed: "ask_answered", what: { ask: "ask_1", session: id, kind: "approval", choice: "deny" } },
    { deed: "stop_requested", what: { session: stopped } },
  ]);
});

test("a deed that can't be kept fails its request, and is kept when that comes again under its key", async () => {
  let isFull = true;
  const { server, ada, trail, credential } = await withAda({
    wrap: (store) =>
      instead(store, {
        noteDeed: (deed) =>
          isFull
            ? Promise.reject(new StorageError("full", "no space left on the disk"))
            : store.noteDeed(deed),
      }),
  });
  await asking(server, "1");
  const answer = ["POST", "/api/asks/ask_1/answer"] as const;
  const refused = await ada(...answer, 503, { text: "that one" }, "k");
  expect(refused).toMatchObject({ code: "not_ready", reason: "full" });
  expect([(await server.store.ask("ask_1"))?.state, await trail(credential)]).toEqual(["answered", []]);
  isFull = false;
  await ada(...answer, 200, { text: "that one" }, "k");
  expect(await trail(credential)).toMatchObject([{ deed: "ask_answered", what: { ask: "ask_1" } }]);
});

test("nobody is let in whose login can't be noted", async () => {
  const server = await openServer({
    wrap: (store) =>
      instead(store, {
        noteDeed: () => Promise.reject(new StorageError("full", "no space left on the disk")),
      }),
  });
  const { url } = await server.loginLink("owner");
  const answer = await postLogin(server, url);
  expect([answer.status, answer.headers.get("set-cookie")]).toEqual([503, null]);
});

test("a key that the store has forgotten may be used for another deed, which is noted too", async () => {
  const { server, ada, trail, credential } = await withAda({
    wrap: (store) =>
      instead(store, {
        append: (log, events, writer, options) =>
          store.append(
            log,
            events,
            writer.by === "client" ? { by: "client", author: writer.author } : writer,
            options,
          ),
        recall: () => Promise.resolve(undefined),
        keep: (_, result) => Promise.resolve(result),
      }),
  });
  for (const nth of ["1", "2"]) {
    await asking(server, nth);
    await ada("POST", `/api/asks/ask_${nth}/answer`, 200, { text: "that one" }, "k");
  }
  expect((await trail(credential)).map(({ what }) => what["ask"])).toEqual(["ask_1", "ask_2"]);
});

test("the trail is listed in pages, newest first", async () => {
  const server = await openServer();
  for (const name of ["a", "b", "c"]) await server.call("POST", "/api/tokens", { name });
  const { items: tokens } = await server.call<{ items: { id: string }[] }>("GET", "/api/tokens");
  type Page = { items: DeedInfo[]; next: string | null };
  const first = await server.call<Page>("GET", "/api/audit?limit=2");
  const rest = await server.call<Page>("GET", `/api/audit?limit=2&after=${first.next}`);
  expect([...first.items, ...rest.items].map(({ what }) => what["made"])).toEqual(tokens.map(({ id }) => id));
  expect([first.items.length, rest.next]).toEqual([2, null]);
});

const allowed = {
  profile: "default",
  tool: "shell",
  match: "sha256:abc",
  decision: "allow",
  shown: "make",
} as const;

/** A server, and a person at her phone. */
async function withAda(options: OpenServerOptions = {}) {
  const server = await openServer(options);
  const { id, token } = await server.call<{ id: string; token: string }>("POST", "/api/tokens", {
    name: "phone",
    person: "ada",
    kind: "person",
  });
  const call = async (
    method: string,
    path: string,
    expected: number,
    body?: object,
    key?: string,
  ): Promise<unknown> => {
    const answer = await server.fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect([method, path, answer.status]).toEqual([method, path, expected]);
    const text = await answer.text();
    return text === "" ? undefined : JSON.parse(text);
  };
  /** Sent again under its key, as by a client that did not hear the answer. */
  const twice = async (...[method, path, expected, body]: Parameters<typeof call>): Promise<unknown> => {
    const key = randomUUID();
    const answer = await call(method, path, expected, body, key);
    expect(await call(method, path, expected, body, key)).toEqual(answer);
    return answer;
  };
  /** Oldest first. */
  const trail = async (credential?: string): Promise<DeedInfo[]> => {
    const { items } = await server.call<{ items: DeedInfo[] }>("GET", "/api/audit?limit=200");
    return items.toReversed().filter((deed) => credential === undefined || deed.credential === credential);
  };
  const logged = () =>
    server.logged
      .map((line) => JSON.parse(line) as { deed?: DeedName; credential?: string })
      .filter(({ deed, credential }) => deed !== undefined && credential === id);
  return { server, ada: Object.assign(call, { twice }), trail, logged, credential: id };
}

/** A session whose turn waits for an answer. */
async function asking(server: OpenServer, nth: string): Promise<string> {
  const { store } = server;
  const { id } = await server.newSession({ input: { kind: "prompt", text: "go" } });
  const { input, position: from } = (await store.view(id))!.queue[0]!;
  const turn = `turn_${nth}`;
  const asked: NewEvent[] = [
    { type: "turn_started", data: { turn, inputs: [input] } },
    { type: "input_delivered", data: { input, turn, from } },
    { type: "ask_opened", data: { ask: `ask_${nth}`, kind: "clarify", title: "which?", choices: [] } },
  ];
  await store.append(id, asked, { by: "client", author: { person: "owner" } });
  return id;
}

async function started(store: Store, session: string, ...processes: string[]): Promise<void> {
  const claim = await store.claimSession(60_000); // which gives it its host
  await store.releaseLease(claim!.lease);
  const facts = processes.map((process): NewEvent => ({
    type: "process_started",
    data: { process, command: "make", cwd: "/w", background: true },
  }));
  await store.append(session, facts, { by: "client", author: { person: "owner" } });
}

/** Plays the keeper of the processes' host. */
async function carryOut(store: Store, outcomes: string[]): Promise<void> {
  for (const outcome of outcomes)
    await until(async () => {
      const [taken] = await store.takeRequests();
      if (taken) await store.finishRequest(taken.request.id, outcome);
      return taken !== undefined;
    });
}

async function login(server: OpenServer): Promise<{ id: string; cookie: string }> {
  const { url } = await server.loginLink("owner");
  const answer = await postLogin(server, url);
  const { id } = (await answer.json()) as { id: string };
  return { id, cookie: answer.headers.get("set-cookie")!.split(";")[0]! };
}

function postLogin(server: OpenServer, link: string): Promise<Response> {
  return fetch(`${server.url}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret: link.split("#")[1] }),
  });
}

function instead(store: Store, verbs: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(verbs, name) ?? Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
