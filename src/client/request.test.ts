import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { problem } from "../protocol/problem.ts";
import type { Clock } from "./clock.ts";
import { createClient, type ClientOptions } from "./commands.ts";
import { ProblemError, Unreachable } from "./errors.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()));

/** A real server that gives one answer after the other, the last of them again and again. */
async function serverThat(...answers: Answer[]) {
  const requests: { method: string; url: string; key: string; token: string; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      requests.push({
        method,
        url,
        key: String(headers["idempotency-key"]),
        token: String(headers.authorization),
        body,
      });
      answers[Math.min(requests.length, answers.length) - 1]?.(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Waits are over at once, and remembered; the bound on a single try never comes. */
function hastyClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    now: () => now,
    after(ms, run) {
      if (ms >= 30_000) return () => {};
      waits.push(ms);
      const soon = setImmediate(() => {
        now += ms;
        run();
      });
      return () => clearImmediate(soon);
    },
  };
}

function clientOf(url: string, options: ClientOptions = {}) {
  const clock = hastyClock();
  return { clock, client: createClient({ url, token: "secret", clock, chance: () => 0.5, ...options }) };
}

const ok =
  (value: unknown): Answer =>
  (_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
const refuse =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response
      .writeHead(status, { "content-type": "application/problem+json", ...headers })
      .end(JSON.stringify(body));
const hangUp: Answer = (request) => request.socket.destroy();
const cutOff: Answer = (request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"input": "inp_1", ', () => request.socket.destroy());
};
const notReady = refuse(503, problem("not_ready", "the disk is full"));

test("a mutation that is tried again keeps its key, and another one has another", async () => {
  const { url, requests } = await serverThat(hangUp, notReady, cutOff, ok({ input: "inp_1" }));
  const { client, clock } = clientOf(url);
  const input = { kind: "prompt", text: "hello" } as const;
  expect(await client.admitInput("ses_1", input)).toEqual({ input: "inp_1" });
  expect(requests).toHaveLength(4);
  expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
  expect(requests[3]).toMatchObject({
    method: "POST",
    url: "/api/sessions/ses_1/inputs",
    token: "Bearer secret",
  });
  expect(requests.map(({ body }) => body)).toEqual(requests.map(() => JSON.stringify(input)));
  expect(clock.waits).toEqual([150, 300, 600]);

  await client.admitInput("ses_1", input);
  expect(requests[4]?.key).not.toBe(requests[3]?.key);
  expect(requests[4]?.key).toMatch(/^[0-9a-f]{32}$/);
});

test("a refusal that trying again can't change is told at once, with its problem document", async () => {
  const document = problem("ended", "the session has ended; go on in ses_2", { successor: "ses_2" });
  const { url, requests } = await serverThat(refuse(409, document));
  const error = await clientOf(url)
    .client.admitInput("ses_1", { kind: "prompt", text: "x" })
    .catch((e: unknown) => e);
  expect(error).toBeInstanceOf(ProblemError);
  expect((error as ProblemError).problem).toEqual(document);
  expect((error as ProblemError).code).toBe("ended");
  expect(requests).toHaveLength(1);
});

test("the server's own word on when to come back is honoured, unless that is beyond our patience", async () => {
  const wait = (seconds: string) => refuse(429, problem("too_many", "slow down"), { "retry-after": seconds });
  const soon = await serverThat(wait("3"), ok({ items: [] }));
  const { client, clock } = clientOf(soon.url);
  expect(await client.tokens()).toEqual([]);
  expect(clock.waits).toEqual([3000]);

  const late = await serverThat(wait("3600"));
  await expect(clientOf(late.url).client.tokens()).rejects.toMatchObject({ code: "too_many" });
  expect(late.requests).toHaveLength(1);
});

test("trying again ends with our patience, and with the last answer", async () => {
  const { url, requests } = await serverThat(notReady);
  const { client, clock } = clientOf(url, { patienceMs: 10_000 });
  await expect(client.me()).rejects.toMatchObject({ code: "not_ready", message: "the disk is full" });
  expect(requests.length).toBeGreaterThan(2);
  expect(clock.now()).toBeLessThanOrEqual(10_000);
});

test("a server that is not there is unreachable, which is another thing than a refusal", async () => {
  const { url } = await serverThat(ok({}));
  cleanups.splice(0).forEach((cleanup) => cleanup());
  const error = await clientOf(url, { patienceMs: 0 })
    .client.me()
    .catch((e: unknown) => e);
  expect(error).toBeInstanceOf(Unreachable);
  expect((error as Error).message).toContain("ECONNREFUSED");
  expect((error as Unreachable).url).toBe(url);
});

test("a server that never answers is given up", async () => {
  const { url } = await serverThat(() => {});
  const clock: Clock = { now: () => 0, after: (_ms, run) => (setImmediate(run), () => {}) };
  await expect(clientOf(url, { clock, patienceMs: 0 }).client.me()).rejects.toThrow("no answer within 30 s");
});

test("a delete whose answer was lost is done when the retry finds nothing", async () => {
  const gone = refuse(404, problem("not_found", "no such session"));
  const cut = await serverThat(hangUp, gone);
  await clientOf(cut.url).client.deleteSession("ses_1", { force: true });
  expect(cut.requests[1]).toMatchObject({ method: "DELETE", url: "/api/sessions/ses_1?force=true" });

  const never = await serverThat(gone);
  await expect(clientOf(never.url).client.deleteSession("ses_1")).rejects.toMatchObject({
    code: "not_found",
  });
});

test("an abort ends the call with the reason that was given, also between two tries", async () => {
  const controller = new AbortController();
  const { url } = await serverThat(notReady);
  const clock: Clock = {
    now: () => 0,
    after(ms) {
      if (ms < 30_000) setImmediate(() => controller.abort(new Error("left")));
      return () => {};
    },
  };
  await expect(clientOf(url, { clock }).client.me(controller.signal)).rejects.toThrow("left");

  const silent = await serverThat(() => second.abort(new Error("gone")));
  const second = new AbortController();
  await expect(clientOf(silent.url).client.me(second.signal)).rejects.toThrow("gone");
});

test("a proxy's page becomes a problem document too", async () => {
  const { url } = await serverThat((_, response) =>
    response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not\n here</h1>"),
  );
  await expect(clientOf(url).client.me()).rejects.toMatchObject({
    status: 404,
    code: "not_found",
    message: "the answer was 404 without a problem document: <h1>Not here</h1>",
  });
});
