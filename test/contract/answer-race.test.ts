import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { expect, it } from "vitest";
import { makeLog } from "../../src/server/log.ts";
import { startServer } from "../../src/server/server.ts";
import type { NewEvent } from "../../src/session/event.ts";
import { START } from "../../src/session/position.ts";
import type { Store } from "../../src/store/store.ts";
import { forEachStore } from "./stores.ts";

const TOKEN = "a-token-for-tests-that-is-long-enough";
const RACERS = 8;
const ROUNDS = 5;

forEachStore((harness) => {
  it("eight answers at once over eight connections: one counts, seven learn which", async () => {
    const store = await harness.open();
    await using server = await serve(store);
    const { url } = server;
    for (let round = 0; round < ROUNDS; round++) {
      const [session, ask] = [`ses_${round}`, `ask_${round}`];
      const opened: NewEvent = { type: "ask_opened", data: { ask, kind: "approval", title: "may I" } };
      await store.createSession({ id: session, profile: "default", first: [opened] }, { person: "owner" });
      const choices = Array.from({ length: RACERS }, (_, n) => (n % 2 === 0 ? "once" : "deny"));
      const answers = await Promise.all(
        choices.map((choice, n) => post(`${url}/api/asks/${ask}/answer`, { choice, text: `racer ${n}` })),
      );
      const [won, ...more] = answers.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      const lost = answers.filter(({ status }) => status === 409);
      expect(lost).toHaveLength(RACERS - 1);
      for (const { json } of lost) expect(json).toMatchObject({ code: "answered", ask: won?.json });
      const facts = (await store.events(session, START, 100)).filter(({ type }) => type === "ask_answered");
      expect(facts).toMatchObject([{ data: { ask, answer: { text: expect.stringMatching(/^racer \d$/) } } }]);
      expect(await store.ask(ask)).toEqual(won?.json);
    }
  });

  it("an answer and a stop that withdraws the ask at once: the ask ends in one way", async () => {
    const store = await harness.open();
    await using server = await serve(store);
    const { url } = server;
    for (let round = 0; round < ROUNDS; round++) {
      const [session, ask] = [`ses_${round}`, `ask_${round}`];
      const opened: NewEvent = { type: "ask_opened", data: { ask, kind: "approval", title: "may I" } };
      await store.createSession({ id: session, profile: "default", first: [opened] }, { person: "owner" });
      const claimed = await store.claimLease(session, 10_000);
      if (!claimed.ok) throw new Error(claimed.code);
      const withdrawn: NewEvent = {
        type: "ask_closed",
        data: { ask, kind: "approval", reason: "withdrawn" },
      };
      const [answered] = await Promise.all([
        post(`${url}/api/asks/${ask}/answer`, { choice: "once" }),
        store.append(session, [withdrawn], { by: "executor", lease: claimed.lease }),
      ]);
      const row = await store.ask(ask);
      expect([answered.status, row?.state]).toEqual(
        answered.status === 200 ? [200, "answered"] : [409, "withdrawn"],
      );
    }
  });
});

async function serve(store: Store): Promise<{ url: string } & AsyncDisposable> {
  const server = await startServer({
    store,
    version: "test",
    host: "127.0.0.1",
    port: 0,
    token: TOKEN,
    webFolder: "/nowhere",
    backupFolder: "/nowhere",
    log: makeLog("error", process.stderr),
    now: Date.now,
    randomBytes,
  });
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}

/** On a connection of its own. */
function post(url: string, body: object): Promise<{ status: number; json: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: "POST",
        agent: false,
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) }));
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}
