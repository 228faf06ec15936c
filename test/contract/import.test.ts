import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logFrom } from "../../src/session/arbitrary-log.ts";
import type { AnyEvent, NewEvent } from "../../src/session/event.ts";
import { rowOf } from "../../src/session/fork.ts";
import { START } from "../../src/session/position.ts";
import { statusOf } from "../../src/session/row.ts";
import type { Created, FileInfo, Importing, Store } from "../../src/store/store.ts";
import {
  anna,
  byOwner,
  claim,
  delivered,
  draft,
  makeSession,
  notice,
  prompt,
  readAll,
  row,
  stepCompleted,
  stepStarted,
  write,
} from "./samples.ts";
import { forEachStore } from "./stores.ts";

const turn: NewEvent[] = [
  prompt("inp_1", "look for the needle"),
  { type: "turn_started", data: { turn: "turn_1", inputs: ["inp_1"] } },
  delivered("inp_1", "turn_1"),
  stepStarted("s1"),
];
const turnEnded: NewEvent = { type: "turn_ended", data: { turn: "turn_1", outcome: "completed" } };
const photo: FileInfo = { file: "fil_1", name: "photo.png", type: "image/png", bytes: 300_000 };
const pixels = Buffer.alloc(photo.bytes, "pixel");

describe("an import", () => {
  forEachStore(({ open, clock, another }) => {
    it("has all facts with their positions, times and authors, then that it came from elsewhere", async () => {
      const store = await open();
      await makeSession(store, "ses_a", {
        title: "Original",
        profile: "coder",
        workspace: "/work",
        model: "m",
        lane: "lane:a",
      });
      await write(store, "ses_a", ...turn, stepCompleted("s1", "found it"), turnEnded);
      const facts = await factsOf(store, "ses_a");
      await store.deleteSession("ses_a", { force: false });
      clock.advance(1_000);
      expect(await bring(store, facts, "ses_i")).toMatchObject({
        ok: true,
        session: {
          id: "ses_i",
          title: "Original",
          profile: "coder",
          workspace: null, // a file from elsewhere does not say which of our files an agent may read
          model: "m",
          lane: null,
          status: "idle",
          attention: null,
          messages: 2,
          queued: 0,
          head: "ses_i",
          origin: null,
          createdAt: clock.iso(),
        },
      });
      const [last, ...rest] = (await readAll(store, "ses_i")).toReversed();
      expect(rest.toReversed()).toEqual(facts);
      expect(last).toMatchObject({
        type: "session_imported",
        by: anna,
        at: clock.iso(),
        data: { from: "ses_a", at: facts.at(-1)?.position },
      });
      expect(await store.check()).toMatchObject({ damaged: [], problems: [] });
    });

    it("is at rest, and takes from the original neither its asks nor what ran for it", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(
        store,
        "ses_a",
        ...turn,
        {
          type: "step_completed",
          data: { step: "s1", attempt: 1, message: [{ type: "call", call: "c1", name: "shell", args: {} }] },
        },
        { type: "ask_opened", data: { ask: "ask_1", kind: "approval", title: "run it?", call: "c1" } },
        { type: "rule_added", data: { tool: "shell", match: "*", decision: "allow" } },
        {
          type: "process_started",
          data: { process: "prc_1", command: "serve", cwd: "/", background: true },
        },
        { type: "delegated", data: { session: "ses_d", call: "c1", background: false } },
        prompt("inp_2", "and then?"),
      );
      const before = await store.asks({ open: true, limit: 10 });
      await bring(store, await factsOf(store, "ses_a"), "ses_i");
      const view = (await store.view("ses_i"))!;
      expect(view).toMatchObject({
        turn: null,
        asks: [],
        queue: [],
        processes: [],
        delegates: [],
        rules: [],
        held: false,
      });
      expect(await row(store, "ses_i")).toMatchObject({ status: "idle", attention: null, processes: 0 });
      expect(await store.asks({ open: true, limit: 10 })).toEqual(before);
      expect((await store.processes({ limit: 10 })).items.map(({ session }) => session)).toEqual(["ses_a"]);
      expect(await store.claimSession(1_000)).toMatchObject({ lease: { log: "ses_a" } });
      expect(await store.claimSession(1_000)).toBeUndefined();
    });

    it("gets back nothing of elsewhere when it goes back to before it was brought in", async () => {
      const store = await open();
      await makeSession(store, "ses_a", { workspace: "/work", lane: "lane:a" });
      const allowed = (match: string): NewEvent => ({
        type: "rule_added",
        data: { tool: "shell", match, decision: "allow" },
      });
      const at = await write(store, "ses_a", allowed("rm *"), notice("a place to go back to"));
      await write(store, "ses_a", notice("more"));
      await bring(store, await factsOf(store, "ses_a"), "ses_i");
      await write(store, "ses_i", allowed("ls *"));
      const view = (await store.view("ses_i"))!;
      const undone = { from: "ses_i", id: "ses_s", at, view, first: [], reason: "undone" };
      expect(await store.succeedSession(undone, anna)).toMatchObject({ ok: true });
      const { rules, meta } = (await store.view("ses_s"))!;
      expect(rules).toMatchObject([{ match: "ls *" }]);
      expect(meta).toMatchObject({ lane: null, workspace: null, continues: "ses_i" });
      expect(await row(store, "ses_s")).toMatchObject({ lane: null, workspace: null });
    });

    it("ends a step whose words were on their way, and takes input like any other session", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", ...turn, draft("s1.1/0", 0, "half a"), draft("s1.1/0", 6, " word"));
      await bring(store, await readAll(store, "ses_a"), "ses_i");
      const { messages } = (await store.view("ses_i"))!;
      expect(messages.find(({ kind }) => kind === "step")).toMatchObject({
        state: "aborted",
        parts: [{ text: "half a word" }],
      });
      expect(messages.at(-1)).toMatchObject({ kind: "turn_end", outcome: "stopped" });
      await write(store, "ses_i", prompt("inp_3", "go on"));
      expect(await row(store, "ses_i")).toMatchObject({ status: "queued", queued: 1 });
    });

    it("has the words of answers that broke off, however many, and not those that a fact has said since", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const words = (owner: string, count: number) =>
        Array.from({ length: count }, (_, n) => draft(`${owner}/0`, n * 5, "word "));
      await write(
        store,
        "ses_a",
        ...turn,
        ...words("s1.1", 700),
        prompt("inp_2", "and?"),
        ...words("s1.1", 702).slice(700),
      );
      await write(store, "ses_a", { type: "step_aborted", data: { step: "s1", attempt: 1, reason: "lost" } });
      await write(store, "ses_a", stepStarted("s1", 2));
      const broken = await readAll(store, "ses_a");
      await write(store, "ses_a", ...words("s1.2", 600));
      const said = await readAll(store, "ses_a");
      await write(store, "ses_a", stepCompleted("s1", "done", 2), turnEnded);
      const whole = [...said, ...(await readAll(store, "ses_a")).slice(-2)];
      expect(broken.filter(({ type }) => type === "draft")).toHaveLength(702);
      expect(await bring(store, whole, "ses_i")).toMatchObject({ ok: true });
      await write(store, "ses_i", prompt("inp_3", "go on")); // from here on what is superfluous is swept
      for (const session of ["ses_a", "ses_i"])
        await expect.poll(async () => (await draftsOf(store, session)).length).toBe(702);
      expect(await draftsOf(store, "ses_i")).toEqual(await draftsOf(store, "ses_a"));
      const steps = (await store.view("ses_i"))!.messages.filter(({ kind }) => kind === "step");
      expect(steps).toMatchObject([
        { state: "aborted", parts: [{ text: "word ".repeat(702) }] },
        { state: "completed", parts: [{ text: "done" }] },
      ]);
      expect(await store.check()).toMatchObject({ damaged: [], problems: [] });
    });

    it("leaves out words of which the beginning is missing", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(
        store,
        "ses_a",
        ...turn,
        draft("s1.1/0", 0, "half"),
        draft("s1.1/0", 4, " a"),
        draft("s1.1/0", 6, " word"),
      );
      const events = await readAll(store, "ses_a");
      await bring(store, events.toSpliced(-2, 1), "ses_i");
      expect((await draftsOf(store, "ses_i")).map(({ data }) => data)).toMatchObject([{ text: "half" }]);
      expect((await store.view("ses_i"))?.turn).toBeNull();
    });

    it("is found by the words of its long texts, also by those far from how they begin", async () => {
      const store = await open();
      const into = await store.beginImport("ses_i");
      await into.addEvent(factAt(1, "session_created", { profile: "default" }));
      const refs = [];
      for (let n = 0; n < 20; n++) {
        const text = Buffer.from(`${"filling ".repeat(10_000)}heron${n}`);
        refs.push({ ...(await into.addBlob(text)), preview: "filling" });
      }
      await into.addEvent(
        factAt(2, "step_completed", {
          step: "s1",
          attempt: 1,
          message: refs.slice(0, 3).map((text) => ({ type: "text", text })),
        }),
      );
      for (const [n, result] of refs.slice(3).entries())
        await into.addEvent(factAt(3 + n, "notice", { level: "info", text: result }));
      await into.finish({ from: "ses_a" }, anna);
      for (const word of ["heron0", "heron2", "heron3", "heron19"])
        expect((await store.search({ q: word, limit: 10 })).items).toMatchObject([{ session: "ses_i" }]);
    });

    it("keeps its long texts and files when the original and its store's copies are gone", async () => {
      const store = await open();
      const into = await store.beginImport("ses_i");
      const long = Buffer.from("long ".repeat(100_000));
      const { blob, bytes } = await into.addBlob(long);
      expect(await into.addFile(photo, pieces(pixels))).toBe(true);
      expect(await store.file(photo.file)).toBeUndefined();
      const created = factAt(1, "session_created", { profile: "default" });
      await into.addEvent(created);
      await into.addEvent(
        factAt(2, "input_admitted", {
          input: "inp_1",
          kind: "prompt",
          text: { blob, bytes, preview: "long" },
          attachments: [photo],
        }),
      );
      expect(await into.addFile(photo, pieces(pixels))).toBe(true); // two facts may name it
      expect(await into.finish({ from: "ses_a" }, anna)).toMatchObject({ ok: true });
      await into.abandon();
      clock.advance(48 * 3_600_000);
      await store.tidy();
      expect(await store.blob(blob)).toEqual(long);
      const file = await store.file(photo.file);
      expect(file).toMatchObject(photo);
      expect(await joined(file!.read())).toEqual(pixels);

      const other = await store.beginImport("ses_j");
      expect(await other.addFile(photo, pieces(pixels))).toBe(true);
      expect(await other.addFile(photo, pieces(Buffer.alloc(photo.bytes, "other")))).toBe(false);
      await other.abandon();
    });

    it("leaves nothing behind when it is abandoned, or its server dies in the middle of it", async () => {
      let store = await open();
      const long = Buffer.from("long ".repeat(100_000));
      const blobs: string[] = [];
      for (const end of ["abandoned", "died"]) {
        const into = await store.beginImport(`ses_${end}`);
        blobs.push((await into.addBlob(Buffer.concat([long, Buffer.from(end)]))).blob);
        await into.addFile({ ...photo, file: `fil_${end}` }, pieces(pixels));
        await into.addEvent(factAt(1, "session_created", { profile: "default" }));
        for (let n = 2; n <= 600; n++)
          await into.addEvent(factAt(n, "session_titled", { title: `needle ${n}` }));
        expect(await store.head(`ses_${end}`)).toBeUndefined();
        if (end === "abandoned") await into.abandon();
        else store = await another(store);
      }
      clock.advance(48 * 3_600_000);
      await store.tidy();
      expect(await store.sessions({ limit: 10 }, "owner")).toMatchObject({ items: [] });
      expect((await store.search({ q: "needle", limit: 10 })).items).toEqual([]);
      expect(await store.check()).toMatchObject({ damaged: [], problems: [] });
      // On PostgreSQL one that is silent counts as alive for an hour of the database's own clock.
      const gone = store.dialect === "sqlite" ? blobs : blobs.slice(0, 1);
      for (const blob of gone)
        await expect.poll(() => store.tidy().then(() => store.blob(blob))).toBeUndefined();
      expect(await store.file("fil_died")).toBeUndefined();
      expect(await bring(store, someFacts(), "ses_abandoned")).toMatchObject({ ok: true });
    });

    it("is made once under its key, and what came a second time is taken away", async () => {
      const store = await open();
      const facts = someFacts();
      const command = { scope: "owner/person", key: "k", digest: "d" };
      const first = await bring(store, facts, "ses_1", command);
      expect(await bring(store, facts, "ses_2", command)).toEqual({ ...first, replayed: true });
      expect(await bring(store, facts, "ses_3", { ...command, digest: "e" })).toMatchObject({
        code: "key_reused",
      });
      expect((await store.sessions({ limit: 10 }, "owner")).items.map(({ id }) => id)).toEqual(["ses_1"]);
      expect(await store.check()).toMatchObject({ events: 3, problems: [] });
    });

    it("goes on with higher epochs than those of its facts, and its words are found", async () => {
      const store = await open();
      const facts = someFacts();
      facts[1] = { ...facts[1]!, by: { executor: "nod_1", epoch: 7 } };
      await bring(store, facts, "ses_i");
      expect((await store.search({ q: "heron", limit: 10 })).items).toMatchObject([
        { session: "ses_i", snippet: "Birds of the heron kind" },
      ]);
      expect(await claim(store, "ses_i")).toMatchObject({ epoch: 8 });
    });

    it("keeps facts of a newer version as they are", async () => {
      const store = await open();
      const facts = [...someFacts(), factAt(3, "moon_rose", { over: "the sea", deep: [{ a: 1 }] })];
      await bring(store, facts, "ses_i");
      expect((await readAll(store, "ses_i")).slice(0, 3)).toEqual(facts);
    });

    it("has the row that its view implies, whatever the log was", async () => {
      const store = await open();
      let n = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (choices) => {
          const [a, i] = [`ses_a${n}`, `ses_i${n}`];
          n += 1;
          await makeSession(store, a);
          const events = logFrom(choices).slice(1);
          if (events.length > 0) await store.append(a, events, byOwner);
          await bring(store, await factsOf(store, a), i);
          const view = (await store.view(i))!;
          const expected = rowOf(view);
          expect(view).toMatchObject({ turn: null, asks: [], queue: [], compacting: false });
          expect(await row(store, i)).toMatchObject({
            status: statusOf(expected),
            title: expected.title,
            messages: expected.messages,
            queued: 0,
          });
        }),
        { numRuns: 15 },
      );
    });
  });
});

async function bring(
  store: Store,
  facts: readonly AnyEvent[],
  id: string,
  command?: Parameters<Importing["finish"]>[2],
): Promise<Created> {
  const into = await store.beginImport(id);
  for (const fact of facts) await into.addEvent(fact);
  const made = await into.finish({ from: "ses_a" }, anna, command);
  await into.abandon();
  return made;
}

async function draftsOf(store: Store, log: string): Promise<AnyEvent[]> {
  return (await readAll(store, log)).filter(({ type }) => type === "draft");
}

/** As an import takes them: without the end, after which nothing is appended. */
async function factsOf(store: Store, log: string): Promise<AnyEvent[]> {
  const facts = await store.events(log, START, 10_000, "facts");
  return facts.filter(({ type }) => type !== "session_ended");
}

function someFacts(): AnyEvent[] {
  return [
    factAt(1, "session_created", { profile: "default", title: "Birds" }),
    factAt(2, "session_titled", { title: "Birds of the heron kind" }),
  ];
}

function factAt(n: number, type: string, data: object): AnyEvent {
  const position = `${String(n).padStart(16, "0")}_${"0".repeat(16)}` as AnyEvent["position"]; // as positions are
  return { position, at: "2026-01-02T03:04:05.678Z", by: anna, type, data };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.byteLength; from += 70_000) yield bytes.subarray(from, from + 70_000);
}

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks));
}
