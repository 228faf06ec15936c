import { beforeEach, expect, test, vi } from "vitest";
import { ProblemError, Unreachable } from "../../src/client/errors.ts";
import { problem } from "../../src/protocol/problem.ts";
import type { Attachment } from "../../src/session/event.ts";
import { formatPosition, type Position } from "../../src/session/position.ts";
import type { Upload } from "./attached-files.ts";
import { departures, RESUMABLE_MS } from "./departures.ts";
import { createOutbox, newInput, type OutboxOptions, type Sent } from "./outbox.ts";
import { fetchWithProgress } from "./upload-progress.ts";
import { keepUnsent, unsentText } from "./unsent.ts";

let kept: Map<string, string>;
let onStorage: (event: { key: string; oldValue: string | null; newValue: string | null }) => void;
let keys = 0;

beforeEach(() => {
  kept = new Map();
  keys = 0;
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.stubGlobal("addEventListener", (_: string, hear: typeof onStorage) => (onStorage = hear));
});

/** A server whose answers a test gives one by one. */
function pendingServer() {
  const asked: { sent: Sent; answer: PromiseWithResolvers<Position | null> }[] = [];
  const send = (sent: Sent) => {
    const answer = Promise.withResolvers<Position | null>();
    asked.push({ sent, answer });
    return answer.promise;
  };
  return { asked, send };
}

function outboxOf(options: Partial<OutboxOptions> = {}) {
  return createOutbox({
    session: "ses_1",
    send: pendingServer().send,
    hasArrived: () => false,
    upload: () => Promise.reject(new Error("nothing is uploaded here")),
    newKey: () => `key ${++keys}`,
    ...options,
  });
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
const unreachable = () => new Unreachable("http://127.0.0.1:4180", new Error("refused"));
const texts = (outbox: { sending: readonly { text: string }[] }) => outbox.sending.map(({ text }) => text);

test("what was typed is there again after a reload", () => {
  outboxOf().setText("half a thou");
  expect(outboxOf().text).toBe("half a thou");
  expect(outboxOf({ session: "ses_2" }).text).toBe("");
});

test("a send that a reload interrupts goes on afterwards, under the same key", async () => {
  const before = pendingServer();
  const outbox = outboxOf({ send: before.send });
  outbox.setText("do it");
  outbox.send("do it", "steer");
  await settle();
  expect(outbox.text).toBe("");
  expect(texts(outbox)).toEqual(["do it"]);

  const after = pendingServer();
  const reloaded = outboxOf({ send: after.send });
  await settle();
  expect(reloaded.text).toBe("");
  expect(after.asked[0]?.sent).toEqual(before.asked[0]?.sent);
  after.asked[0]?.answer.resolve(formatPosition(2, 0));
  await settle();
  expect(departures("ses_1")).toEqual([]);
});

test("a send that the server may have forgotten is not repeated but given back", async () => {
  const outbox = outboxOf({ now: () => 0 });
  outbox.setText("do it");
  outbox.send(outbox.text.trim(), "queue");
  const { asked, send } = pendingServer();
  const reloaded = outboxOf({ send, now: () => RESUMABLE_MS });
  await settle();
  expect(asked).toEqual([]);
  expect(reloaded.text).toBe("do it");
  expect(reloaded.failure).toContain("closed");
});

test("it shows as on its way until the log has it on the page", async () => {
  let have = formatPosition(1, 0);
  const { asked, send } = pendingServer();
  const outbox = outboxOf({ send, hasArrived: (position) => position <= have });
  outbox.setText("do it");
  outbox.send(outbox.text.trim(), "queue");
  await settle();
  asked[0]?.answer.resolve(formatPosition(2, 0));
  await settle();
  expect(texts(outbox)).toEqual(["do it"]);
  have = formatPosition(2, 0);
  expect(texts(outbox)).toEqual([]);
});

test("it is not shown twice when the log brings it before the answer comes", async () => {
  let hasCome = false;
  const { asked, send } = pendingServer();
  const outbox = outboxOf({ send, watchFor: (text) => () => hasCome && text === "do it" });
  outbox.setText("do it");
  outbox.send(outbox.text.trim(), "queue");
  await settle();
  expect(texts(outbox)).toEqual(["do it"]);
  hasCome = true;
  expect(texts(outbox)).toEqual([]);
  asked[0]?.answer.resolve(formatPosition(2, 0));
});

test("a failed send gives the text back, in front of what was typed since", async () => {
  const { asked, send } = pendingServer();
  const outbox = outboxOf({ send });
  outbox.setText("first");
  outbox.send(outbox.text.trim(), "queue");
  outbox.setText("second");
  await settle();
  asked[0]?.answer.reject(unreachable());
  await settle();
  expect(outbox.text).toBe("first\n\nsecond");
  expect(outbox.failure).toBe("The server could not be reached.");
  expect(texts(outbox)).toEqual([]);
  expect(unsentText("ses_1")).toBe("first\n\nsecond");
  expect(departures("ses_1")).toEqual([]);
});

test("a retry has the same key, so that it arrives once; what was changed since is no retry", async () => {
  const { asked, send } = pendingServer();
  const outbox = outboxOf({ send });
  outbox.setText("do it");
  outbox.send("do it", "now");
  await settle();
  asked[0]?.answer.reject(unreachable());
  await settle();
  expect(outbox.retry()).toBe(true);
  await settle();
  expect(asked[1]?.sent).toEqual(asked[0]?.sent);
  asked[1]?.answer.reject(unreachable());
  await settle();
  outbox.setText("do it well");
  expect(outbox.retry()).toBe(false);
});

test("two sends arrive in their order", async () => {
  const { asked, send } = pendingServer();
  const outbox = outboxOf({ send });
  for (const text of ["first", "second"]) {
    outbox.setText(text);
    outbox.send(outbox.text.trim(), "queue");
  }
  await settle();
  expect(asked.map(({ sent }) => sent.text)).toEqual(["first"]);
  asked[0]?.answer.resolve(formatPosition(2, 0));
  await settle();
  expect(asked.map(({ sent }) => sent.text)).toEqual(["first", "second"]);
});

test("blank text is not sent", async () => {
  const { asked, send } = pendingServer();
  const outbox = outboxOf({ send });
  outbox.setText(" \n ");
  outbox.send(outbox.text.trim(), "queue");
  await settle();
  expect(asked).toEqual([]);
});

test("what another tab types is taken over, unless this one has typed since", () => {
  const outbox = outboxOf({ session: "ses_tabs" });
  const typeElsewhere = (before: string, now: string) => {
    keepUnsent("ses_tabs", now);
    onStorage({ key: "holdfast:unsent:ses_tabs", oldValue: before || null, newValue: now || null });
  };
  typeElsewhere("", "from there");
  expect([outbox.text, outbox.isFromOtherTab]).toEqual(["from there", true]);
  outbox.setText("from here");
  expect(outbox.isFromOtherTab).toBe(false);
  typeElsewhere("from there", "late news"); // written before ours, heard after it
  expect(outbox.text).toBe("from here");
});

test("the way that Enter takes is remembered for its session", () => {
  outboxOf().setWay("steer");
  expect(outboxOf().way).toBe("steer");
  expect(outboxOf({ session: "ses_2" }).way).toBe("queue");
});

const upped = (name: string): Attachment => ({ file: `fil_${name}`, name, type: "text/plain", bytes: 2 });
const uploads: Upload = ({ name }) => Promise.resolve(upped(name));

test("a message waits for its files and names them", async () => {
  const { asked, send } = pendingServer();
  const uploading = Promise.withResolvers<Attachment>();
  const outbox = outboxOf({ send, upload: () => uploading.promise });
  outbox.files.add([new File(["hi"], "a.txt")]);
  outbox.setText("read it");
  outbox.send(outbox.text.trim(), "queue");
  await settle();
  expect(asked).toEqual([]);
  uploading.resolve(upped("a.txt"));
  await settle();
  expect(asked.map(({ sent }) => newInput(sent))).toEqual([
    { kind: "prompt", text: "read it", answers: null, attachments: [{ file: "fil_a.txt" }] },
  ]);
});

test("a file says how much of it is up", async () => {
  // The page's own fetch sends it and tells how far it has come; here the body itself is asked.
  const sent: { body: Blob; answer: () => void }[] = [];
  vi.stubGlobal("XMLHttpRequest", fakeRequest(sent));
  const upload: Upload = async ({ body }, signal) => {
    const answer = await fetchWithProgress("/api/files", { method: "POST", body, signal });
    return (await answer.json()) as Attachment;
  };
  const outbox = outboxOf({ upload });
  const file = new File(["1234"], "a.txt");
  outbox.files.add([file]);
  await vi.waitFor(() => expect(sent).toMatchObject([{ body: file }]));
  expect(outbox.files.list[0]).toMatchObject({ state: "uploading", share: 0.5 });
  sent[0]!.answer();
  await vi.waitFor(() => expect(outbox.files.list[0]).toMatchObject({ state: "ready" }));
});

/** Half of it at once, the rest when it is answered. */
function fakeRequest(sent: { body: Blob; answer: () => void }[]) {
  return class {
    status = 201;
    responseText = JSON.stringify(upped("a.txt"));
    upload: { onprogress?: (event: object) => void } = {};
    onload = () => {};
    open() {}
    setRequestHeader() {}
    getResponseHeader = () => "application/json";
    send(body: Blob) {
      this.upload.onprogress?.({ loaded: 2, total: 4 });
      sent.push({ body, answer: () => this.onload() });
    }
  };
}

test("files that are up are kept over a reload; one that was not is named", async () => {
  const outbox = outboxOf({ upload: uploads });
  outbox.files.add([new File(["hi"], "a.txt")]);
  await settle();
  const later = outboxOf({ session: "ses_1", upload: () => new Promise(() => {}) });
  later.files.add([new File(["hi"], "b.txt")]);
  await settle();
  expect(outboxOf().files.list.map(({ name, state }) => [name, state])).toEqual([
    ["a.txt", "ready"],
    ["b.txt", "failed"],
  ]);
});

test("a file that is too large or does not get up says so, and the text is not lost", async () => {
  const { asked, send } = pendingServer();
  const outbox = outboxOf({ send, upload: () => Promise.reject(unreachable()) });
  const huge = new File([], "huge.iso");
  Object.defineProperty(huge, "size", { value: 26 * 1024 * 1024 });
  outbox.files.add([huge, new File(["hi"], "b.txt")]);
  outbox.setText("read them");
  await settle();
  expect(outbox.files.list.map(({ why }) => why)).toEqual([
    expect.stringContaining("too large: 26 MB"),
    expect.stringContaining("The server could not be reached."),
  ]);
  outbox.send(outbox.text.trim(), "queue");
  await settle();
  expect(asked).toEqual([]);
  expect([outbox.text, outbox.files.list.length]).toEqual(["read them", 2]);
  expect(outbox.failure).toContain("a file");
});

test("what was typed is as old as its first word, through a reload, until it is emptied or begun anew", () => {
  let at = 3;
  const position = () => formatPosition(at, 0);
  const outbox = outboxOf({ position });
  expect(outbox.begun).toBe(null);
  outbox.setText("d");
  at = 5;
  outbox.setText("do it");
  expect(outbox.begun).toBe(formatPosition(3, 0));
  expect(outboxOf({ position }).begun).toBe(formatPosition(3, 0));
  outbox.setText(" ");
  outbox.setText("rather that");
  expect(outbox.begun).toBe(formatPosition(5, 0));
  at = 6;
  outbox.beginAnew();
  expect(outboxOf({ position }).begun).toBe(formatPosition(6, 0));
});

test("an answer that did not get through answers the same question when it is sent again", async () => {
  const { asked, send } = pendingServer();
  const outbox = outboxOf({ send, position: () => formatPosition(4, 0) });
  outbox.setText("left");
  outbox.send("left", "queue", "ask_1");
  await settle();
  asked[0]?.answer.reject(unreachable());
  await settle();
  expect(outbox.begun).toBe(formatPosition(4, 0));
  expect(outbox.retry()).toBe(true);
  await settle();
  expect(asked[1]?.sent).toEqual(asked[0]?.sent);
  expect(asked[1]?.sent).toMatchObject({ answers: "ask_1" });
});

test("an answer to a question that is no longer open is given back, and not sent so again", async () => {
  const { asked, send } = pendingServer();
  const outbox = outboxOf({ send });
  outbox.setText("left");
  outbox.send("left", "queue", "ask_1");
  await settle();
  asked[0]?.answer.reject(new ProblemError(problem("answered", "ask_1 was answered by owner.")));
  await settle();
  expect(outbox.text).toBe("left");
  expect(outbox.failure).toBe("the question is no longer open.");
  expect(outbox.retry()).toBe(false);
});
