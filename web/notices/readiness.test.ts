import { expect, onTestFinished, test, vi } from "vitest";
import { createReadiness } from "./readiness.ts";

test("an answer is read to its end, so that its connection is free for the next request", async () => {
  const answer = Response.json({ ok: true });
  const readiness = readinessOf(() => Promise.resolve(answer));
  readiness.check();
  await vi.waitFor(() => expect(answer.bodyUsed).toBe(true));
  expect(readiness.reason()).toBeUndefined();
});

test("an answer that is cut off says nothing, and the next one is asked for all the same", async () => {
  const answers = [
    cutOff(),
    Response.json({ code: "not_ready", detail: "The disk is full." }, { status: 503 }),
  ];
  const readiness = readinessOf(() => Promise.resolve(answers.shift() ?? Response.json({ ok: true })));
  await vi.waitFor(() => {
    readiness.check();
    expect(readiness.reason()).toBe("The disk is full.");
  });
  await vi.waitFor(() => {
    readiness.check();
    expect(readiness.reason()).toBeUndefined();
  });
});

function readinessOf(ask: typeof fetch) {
  const readiness = createReadiness(ask);
  onTestFinished(() => readiness.stop());
  return readiness;
}

function cutOff(): Response {
  const body = new ReadableStream({ start: (answer) => answer.error(new TypeError("network error")) });
  return new Response(body, { status: 503 });
}
