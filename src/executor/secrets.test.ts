// Security 11 at the executor: what it writes is looked through byte by byte, drafts, rows, blobs and search index alike.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Driver } from "../driver/driver.ts";
import { keepSecret } from "../secret/secrets.ts";
import type { AnyEvent, DraftData, FactData } from "../session/event.ts";
import { START } from "../session/position.ts";
import { PREVIEW_CHARS } from "../session/view.ts";
import { TEXT_MAX_CHARS } from "../store/store.ts";
import { results, useScene } from "./scene.ts";
import { withoutSecrets } from "./without-secrets.ts";

const KEY = "sk-proj-0123456789abcdefghij";
const MARK = "[secret: OPENAI_API_KEY]";
const secrets = keepSecret([{ name: "OPENAI_API_KEY", value: KEY }]);

const scene = useScene();

test("what a command prints and a tool reads of a secret is in no file of the store", async () => {
  await writeFile(join(scene.workspace, ".env"), `OPENAI_API_KEY=${KEY}\nPORT=80\n`);
  await scene.run(
    ({ context }) =>
      context.length > 1
        ? "done"
        : {
            calls: [
              { call: "shell", args: { command: "cat .env; cat .env >&2; exit 3" } },
              { call: "read", args: { path: ".env" } },
              { call: "search", args: { pattern: "API_KEY" } },
            ],
          },
    {},
    { secrets },
  );
  const session = await scene.send("look around");
  const events = await scene.untilFact(session, "turn_ended");
  expect(results(events)).toHaveLength(3);
  for (const { result } of results(events)) expect(result).toContain(`OPENAI_API_KEY=${MARK}`);
  expect(results(events).filter(({ result }) => result.includes("PORT=80"))).toHaveLength(2);
  expect(await filesWith(KEY)).toEqual([]);
});

test("a secret that a model says in several deltas is in no draft, and the drafts are the text that is kept", async () => {
  await scene.run(
    () => "",
    { driver: saying(["The key ", "is s", KEY.slice(1, 9), `${KEY.slice(9)}. So`, " s"]) },
    { secrets },
  );
  const session = await scene.send("what is it?");
  await untilDraft(session, "So");
  await scene.append(session, { type: "stop_requested", data: { turn: await turnOf(session) } });
  const events = await scene.untilFact(session, "turn_ended");
  const drafts = events.flatMap(({ type, data }) => (type === "draft" ? [data as DraftData] : []));
  let shown = "";
  for (const { offset, text } of drafts) {
    expect(offset).toBe(shown.length);
    shown += text;
  }
  expect(shown).toBe(`The key is ${MARK}. So s`);
  expect(dataOf(events, "step_aborted").said).toBe(shown);
  expect(await filesWith(KEY)).toEqual([]);
});

test("a long answer has no secret in its blob, nor a piece of one where its beginning is cut", async () => {
  const before = "a".repeat(PREVIEW_CHARS - 20);
  await scene.run(() => `${before}${KEY}${"z".repeat(TEXT_MAX_CHARS)}`, {}, { secrets });
  const session = await scene.send("go on at length");
  const events = await scene.untilFact(session, "turn_ended");
  const [piece] = dataOf(events, "step_completed").message;
  const text = piece?.type === "text" && typeof piece.text === "object" ? piece.text : undefined;
  expect((await scene.store.blob(text?.blob ?? ""))?.toString().slice(before.length)).toMatch(
    /^\[secret: OPENAI_API_KEY\]z+$/,
  );
  expect(text?.preview).toBe(`${before}${MARK}`.slice(0, PREVIEW_CHARS));
  expect(await filesWith(KEY.slice(0, 12))).toEqual([]);
});

test("a secret in what a provider says of a failure is not kept", async () => {
  const fault = { class: "auth", message: `${KEY} is wrong`, details: `{"key":"${KEY}"}` } as const;
  await scene.run(() => ({ fault }), {}, { secrets });
  const session = await scene.send("hello");
  const events = await scene.untilFact(session, "turn_ended");
  expect(dataOf(events, "turn_ended").error).toEqual({
    code: "auth",
    message: `${MARK} is wrong`,
    details: `{"key":"${MARK}"}`,
  });
  expect(await filesWith(KEY)).toEqual([]);
});

test("a call that holds a secret, or the mark of one, is refused before anything is asked or done", async () => {
  const driver = await scene.run(
    ({ context }) =>
      context.length > 1
        ? "then not"
        : {
            calls: [
              { call: "shell", args: { command: `echo ${KEY} >made` } },
              { call: "write", args: { path: "made", text: `OPENAI_API_KEY=${MARK}\n` } },
              { call: "shell", args: { command: "echo [secret: ANOTHER]" } },
            ],
          },
    { policy: { approvals: "auto", config: [{ tool: "write", match: "*", decision: "ask" }] } },
    { secrets },
  );
  const session = await scene.send("use the key");
  const events = await scene.untilFact(session, "turn_ended");
  expect(
    results(events)
      .map(({ status }) => status)
      .toSorted(),
  ).toEqual(["error", "error", "ok"]);
  for (const { status, result } of results(events))
    expect(result).toContain(status === "ok" ? "ANOTHER" : MARK);
  expect(events.some(({ type }) => type === "ask_opened")).toBe(false);
  expect(await readdir(scene.workspace)).toEqual([]);
  expect(JSON.stringify(driver.requests.at(-1)?.context)).toContain(`echo ${MARK} >made`); // so that it knows which
  expect(await filesWith(KEY)).toEqual([]);
});

test("a signed thought in which something was hidden goes back without its signature", async () => {
  const thought = (text: string) => ({
    type: "reasoning" as const,
    text,
    provider: { options: { a: { signature: "s" } } },
  });
  const driver: Driver = {
    step: async () => ({
      outcome: "completed",
      message: [thought(`it is ${KEY}`), thought("hm"), { type: "text", text: "ok" }],
      usage: null,
      finish: "stop",
    }),
  };
  await scene.run(() => "", { driver }, { secrets });
  const events = await scene.untilFact(await scene.send("think"), "turn_ended");
  const { message } = dataOf(events, "step_completed");
  expect(message.slice(0, 2)).toEqual([{ type: "reasoning", text: `it is ${MARK}` }, thought("hm")]);
});

test("what others than executors write of it is without secrets too, and is read back by whoever wrote it", async () => {
  const session = await scene.send("hello");
  const store = withoutSecrets(scene.store, secrets);
  const writer = { by: "keeper", keeper: "tests", key: "once" } as const;
  const notice = (text: string) => ({ type: "notice", data: { level: "info", text } }) as const;
  const changed = await store.append(session, [notice(`it is ${KEY}`)], writer);
  const plain = await store.append(session, [notice("it is")], { ...writer, key: "twice" });
  expect([changed, plain]).toMatchObject([{ ok: true }, { ok: true, at: expect.any(String) }]);
  expect(changed).not.toHaveProperty("at");
  const { blob } = await store.putBlob(session, Buffer.from(`a ${KEY}`));
  expect((await store.blob(blob))?.toString()).toBe(`a ${MARK}`);
  expect(await filesWith(KEY)).toEqual([]);
});

test("a person's own words are left alone, and so is everything in which there is no secret", async () => {
  await writeFile(join(scene.workspace, "plain"), "sk-proj-012 is how it begins\n");
  const said = "sk- sk-proj-0123456789abcdefghi, s";
  await scene.run(
    ({ context }) =>
      context.length > 1 ? said : { call: "shell", args: { command: "cat plain" }, text: said },
    {},
    { secrets },
  );
  const session = await scene.send(`my key is ${KEY}`);
  const events = await scene.untilFact(session, "turn_ended");
  expect(dataOf(events, "input_admitted").text).toBe(`my key is ${KEY}`);
  expect(results(events)).toMatchObject([{ status: "ok", result: "sk-proj-012 is how it begins\n" }]);
  const texts = events.flatMap(({ type, data }) =>
    type === "step_completed" ? (data as FactData<"step_completed">).message : [],
  );
  expect(texts.filter(({ type }) => type === "text")).toEqual([
    { type: "text", text: said },
    { type: "text", text: said },
  ]);
});

/** A model that says this, delta by delta, and then nothing until it is stopped. */
function saying(deltas: readonly string[]): Driver {
  return {
    async step(_, said, signal) {
      for (const text of deltas) said({ piece: 0, kind: "text", text });
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return { outcome: "stopped" };
    },
  };
}

async function untilDraft(session: string, text: string): Promise<void> {
  const over = new AbortController();
  for await (const _ of withFirst(scene.store.watch(session, over.signal)))
    if (JSON.stringify(await scene.store.events(session, START, 1_000)).includes(text)) break;
  over.abort();
}

/** Subscribed, then looked once without a wake. */
async function* withFirst(wakes: AsyncIterable<void>): AsyncIterable<void> {
  yield;
  yield* wakes;
}

async function turnOf(session: string): Promise<string> {
  return (await scene.store.view(session))?.turn?.id ?? "";
}

function dataOf<T extends "step_aborted" | "step_completed" | "turn_ended" | "input_admitted">(
  events: readonly AnyEvent[],
  type: T,
): FactData<T> {
  return events.find((event) => event.type === type)?.data as FactData<T>; // as its type says
}

/** Of the store: its database and its journal, whatever they hold it as. */
async function filesWith(text: string): Promise<string[]> {
  const folder = dirname(scene.workspace);
  const names = (await readdir(folder)).filter((name) => name.startsWith("holdfast.db"));
  expect(names).toContain("holdfast.db");
  const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
  return names.filter((_, n) => files[n]?.includes(text));
}
