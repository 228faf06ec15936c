import { beforeEach, expect, test, vi } from "vitest";
import { Unreachable } from "../../src/client/errors.ts";
import { formatPosition, type Position } from "../../src/session/position.ts";
import { createOutbox } from "./outbox.ts";
import { unsentText } from "./unsent.ts";

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  });
});

/** A server whose answers a test gives one by one. */
function pendingServer() {
  const asked: { text: string; answer: PromiseWithResolvers<Position | null> }[] = [];
  const send = (text: string) => {
    const answer = Promise.withResolvers<Position | null>();
    asked.push({ text, answer });
    return answer.promise;
  };
  return { asked, send };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const never = () => false;

test("what was typed is there again after a reload", () => {
  createOutbox("ses_1", pendingServer().send, never).setText("half a thou");
  expect(createOutbox("ses_1", pendingServer().send, never).text).toBe("half a thou");
  expect(createOutbox("ses_2", pendingServer().send, never).text).toBe("");
});

test("a text counts as unsent until the server has it", async () => {
  const { asked, send } = pendingServer();
  const outbox = createOutbox("ses_1", send, never);
  outbox.setText("do it");
  outbox.send();
  await settle();
  expect(outbox.text).toBe("");
  expect(outbox.sending).toEqual(["do it"]);
  expect(unsentText("ses_1")).toBe("do it");
  asked[0]?.answer.resolve(formatPosition(2, 0));
  await settle();
  expect(unsentText("ses_1")).toBe("");
});

test("it shows as on its way until the log has it on the page", async () => {
  let have = formatPosition(1, 0);
  const { asked, send } = pendingServer();
  const outbox = createOutbox("ses_1", send, (position) => position <= have);
  outbox.setText("do it");
  outbox.send();
  await settle();
  asked[0]?.answer.resolve(formatPosition(2, 0));
  await settle();
  expect(outbox.sending).toEqual(["do it"]);
  have = formatPosition(2, 0);
  expect(outbox.sending).toEqual([]);
});

test("a failed send gives the text back, in front of what was typed since", async () => {
  const { asked, send } = pendingServer();
  const outbox = createOutbox("ses_1", send, never);
  outbox.setText("first");
  outbox.send();
  outbox.setText("second");
  await settle();
  asked[0]?.answer.reject(new Unreachable("http://127.0.0.1:4180", new Error("refused")));
  await settle();
  expect(outbox.text).toBe("first\n\nsecond");
  expect(outbox.failure).toBe("The server could not be reached.");
  expect(outbox.sending).toEqual([]);
  expect(unsentText("ses_1")).toBe("first\n\nsecond");
});

test("two sends arrive in their order", async () => {
  const { asked, send } = pendingServer();
  const outbox = createOutbox("ses_1", send, never);
  for (const text of ["first", "second"]) {
    outbox.setText(text);
    outbox.send();
  }
  await settle();
  expect(asked.map(({ text }) => text)).toEqual(["first"]);
  asked[0]?.answer.resolve(formatPosition(2, 0));
  await settle();
  expect(asked.map(({ text }) => text)).toEqual(["first", "second"]);
});

test("blank text is not sent", async () => {
  const { asked, send } = pendingServer();
  const outbox = createOutbox("ses_1", send, never);
  outbox.setText(" \n ");
  outbox.send();
  await settle();
  expect(asked).toEqual([]);
});
