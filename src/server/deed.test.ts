// The trail: who answered, stopped, forced or changed what is allowed is found afterwards, with the device it was done from.
import { expect, test } from "vitest";
import { openServer, until, useServer } from "../../test/open-server.ts";
import type { AnyEvent, NewEvent } from "../session/event.ts";
import { START } from "../session/position.ts";
import type { Deed } from "./deed.ts";

const shared = useServer();

/** Where each change is found again: in a session's log, in a row of its own, or as a line of the server's log. */
const TRAIL: Record<string, "fact" | "row" | Deed> = {
  "POST /api/asks/:id/answer": "fact",
  "POST /api/sessions": "fact",
  "PATCH /api/sessions/:id": "fact", //         but for how a list is arranged
  "DELETE /api/sessions/:id": "session_deleted",
  "POST /api/sessions/:id/fork": "fact",
  "POST /api/sessions/:id/inputs": "fact",
  "PATCH /api/sessions/:id/inputs/:input": "fact",
  "DELETE /api/sessions/:id/inputs/:input": "fact",
  "POST /api/sessions/:id/inputs/:input/resend": "fact",
  "POST /api/sessions/:id/move": "fact",
  "POST /api/sessions/:id/queue/release": "fact",
  "POST /api/sessions/:id/regenerate": "fact",
  "PUT /api/sessions/:id/seen": "row", //        how far a person has read
  "POST /api/sessions/:id/stop": "fact",
  "POST /api/sessions/:id/undo": "fact",
  "POST /api/processes/:id/input": "process_input_sent",
  "POST /api/processes/:id/stop": "process_stop_requested",
  "DELETE /api/rules/:id": "rule_removed",
  "POST /api/tokens": "token_made",
  "DELETE /api/tokens/:id": "token_revoked",
  "POST /api/login": "row",
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
  const { id } = await server.newSession({ input: { kind: "prompt", text: "go" } });
  const { input, position: from } = (await server.store.view(id))!.queue[0]!;
  const asked: NewEvent[] = [
    { type: "turn_started", data: { turn: "t1", inputs: [input] } },
    { type: "input_delivered", data: { input, turn: "t1", from } },
    { type: "ask_opened", data: { ask: "ask_1", kind: "clarify", title: "which?", choices: [] } },
  ];
  await server.store.append(id, asked, { by: "client", author: { person: "owner" } });
  await ada("POST", "/api/asks/ask_1/answer", 200, { text: "that one" });
  await ada("POST", `/api/sessions/${id}/stop`, 202);
  const facts = await server.store.events(id, START, 100, "facts");
  const by = (type: AnyEvent["type"]) => facts.find((fact) => fact.type === type)?.by;
  expect([by("ask_answered"), by("stop_requested")]).toEqual([
    { person: "ada", device: "phone" },
    { person: "ada", device: "phone" },
  ]);
});

test("who deleted by force, took a rule back, let others in or out or ended a process is in the server's log", async () => {
  const { server, ada, deeds, credential } = await withAda();
  const { store } = server;
  const { id } = await server.newSession({ input: { kind: "prompt", text: "go" } });
  const claim = await store.claimSession(60_000); // which gives it its host
  await store.releaseLease(claim!.lease);
  const started: NewEvent = {
    type: "process_started",
    data: { process: "prc_1", command: "make", cwd: "/w", background: true },
  };
  await store.append(id, [started], { by: "client", author: { person: "owner" } });
  const allowed = { tool: "shell", match: "sha256:abc", decision: "allow", shown: "make" } as const;
  await store.addRule({ id: "rul_1", profile: "default", ...allowed });
  const login = await loggedIn(server.url, (await server.loginLink("owner")).url);

  const stopping = ada("POST", "/api/processes/prc_1/stop", 200);
  await until(async () => {
    const [taken] = await store.takeRequests();
    if (taken) await store.finishRequest(taken.request.id, "stopped");
    return taken !== undefined;
  });
  await stopping;
  await ada("DELETE", `/api/sessions/${id}?force=true`, 204);
  await ada("DELETE", "/api/rules/rul_1", 204);
  await ada("DELETE", "/api/rules/rul_none", 404); // which did nothing
  const made = (await ada("POST", "/api/tokens", 201, { name: "ci" })) as { id: string };
  await ada("DELETE", `/api/tokens/${made.id}`, 204);
  await ada("POST", "/api/login-links", 201);
  await ada("DELETE", `/api/logins/${login}`, 204);

  const by = { by: { person: "ada", device: "phone" }, credential };
  expect(deeds()).toMatchObject([
    { deed: "process_stop_requested", process: "prc_1", ...by },
    { deed: "session_deleted", session: id, force: true, ...by },
    { deed: "rule_removed", rule: "rul_1", ...by },
    { deed: "token_made", made: made.id, for: "ada", ...by },
    { deed: "token_revoked", revoked: made.id, ...by },
    { deed: "login_link_made", ...by },
    { deed: "login_revoked", revoked: login, ...by },
  ]);
});

/** A server, and a person at her phone. */
async function withAda() {
  const server = await openServer();
  const { id, token } = await server.call<{ id: string; token: string }>("POST", "/api/tokens", {
    name: "phone",
    person: "ada",
    kind: "person",
  });
  const ada = async (method: string, path: string, expected: number, body?: object): Promise<unknown> => {
    const answer = await server.fetch(path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect([method, path, answer.status]).toEqual([method, path, expected]);
    const text = await answer.text();
    return text === "" ? undefined : JSON.parse(text);
  };
  const deeds = () =>
    server.logged
      .map((line) => JSON.parse(line) as { deed?: Deed; credential?: string })
      .filter(({ deed, credential }) => deed !== undefined && credential === id);
  return { server, ada, deeds, credential: id };
}

/** The id of a new login. */
async function loggedIn(url: string, link: string): Promise<string> {
  const answer = await fetch(`${url}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret: link.split("#")[1] }),
  });
  return ((await answer.json()) as { id: string }).id;
}
