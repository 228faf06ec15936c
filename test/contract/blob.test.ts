import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { NewFact } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import type { FileInfo, Store } from "../../src/store/store.ts";
import { makeSession, notice, owner, prompt, readAll, write } from "./samples.ts";
import { forEachStore } from "./stores.ts";

const MB = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

describe("a blob", () => {
  forEachStore(({ open, another, clock }) => {
    it("is given back byte for byte, whatever its size", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      for (const size of [0, 1, 70_000, 256 * 1024, 3 * MB + 17]) {
        const bytes = noise(size);
        const { blob, bytes: length } = await store.putBlob("ses_a", bytes);
        expect(length).toBe(size);
        expect(digest((await store.blob(blob))!)).toBe(digest(bytes));
      }
      expect(await store.blob("none")).toBeUndefined();
    });

    it("is the same blob when the same bytes come again, here or on another node", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const [first, again] = await Promise.all([
        store.putBlob("ses_a", noise(600_000)),
        store.putBlob("ses_a", noise(600_000)),
      ]);
      expect(again).toEqual(first);
      const other = await another(store);
      expect(digest((await other.blob(first.blob))!)).toBe(digest(noise(600_000)));
      expect(await other.putBlob("ses_a", noise(600_000))).toEqual(first);
    });

    it("goes with the last log that has it, and not before", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b");
      const { blob } = await store.putBlob("ses_a", noise(700_000));
      await store.putBlob("ses_b", noise(700_000));
      await store.deleteSession("ses_a", { force: true });
      await store.tidy();
      expect(digest((await store.blob(blob))!)).toBe(digest(noise(700_000)));
      await store.deleteSession("ses_b", { force: true });
      await store.tidy();
      expect(await store.blob(blob)).toBeUndefined();
      await makeSession(store, "ses_c");
      expect((await store.putBlob("ses_c", noise(700_000))).blob).toBe(blob);
      expect(digest((await store.blob(blob))!)).toBe(digest(noise(700_000)));
    });

    it("that is put before its session is made is kept with it, and goes with it", async () => {
      const store = await open();
      const put = await store.putBlob("ses_a", noise(70_000));
      await store.tidy();
      await makeSession(store, "ses_a", { first: [prompt("inp_1", { ...put, preview: "noise" })] });
      await store.tidy();
      clock.advance(2 * DAY_MS);
      await store.tidy();
      expect(digest((await store.blob(put.blob))!)).toBe(digest(noise(70_000)));
      await store.deleteSession("ses_a", { force: true });
      await store.tidy();
      expect(await store.blob(put.blob)).toBeUndefined();
    });
  });
});

describe("a file", () => {
  forEachStore(({ open, another, clock }) => {
    const about = { id: "fil_1", name: "pläne.pdf", type: "application/pdf" };

    it("that is put again under its key is the first one, and leaves nothing of the second", async () => {
      const store = await open();
      const key = { scope: "owner", key: "k", digest: "d1" };
      const first = await store.putFile(about, pieces(noise(1_000), 100), MB, () => key);
      const again = await store.putFile({ ...about, id: "fil_2" }, pieces(noise(1_000), 100), MB, () => key);
      expect(again).toEqual({ ...first, replayed: true });
      expect(await store.file("fil_2")).toBeUndefined();
      const file = (await store.file("fil_1"))!;
      expect(Buffer.concat(await Array.fromAsync(file.read()))).toHaveLength(1_000);
      const other = { ...key, digest: "d2" };
      expect(await store.putFile({ ...about, id: "fil_3" }, pieces(noise(9), 3), MB, () => other)).toEqual({
        ok: false,
        code: "key_reused",
      });
      expect(await store.file("fil_3")).toBeUndefined();
      // Its bytes are gone with it: the same name is free, and has only what is put now.
      await store.putFile({ ...about, id: "fil_2" }, pieces(noise(7), 3), MB);
      const second = (await store.file("fil_2"))!;
      expect(Buffer.concat(await Array.fromAsync(second.read()))).toHaveLength(7);
    });

    it("is streamed in and out in pieces, byte for byte", async () => {
      const store = await open();
      const bytes = noise(2 * MB + 5);
      const put = await store.putFile(about, pieces(bytes, 100_000), 25 * MB);
      expect(put).toEqual({
        ok: true,
        file: { file: "fil_1", name: "pläne.pdf", type: about.type, bytes: bytes.length },
      });
      const other = await another(store);
      const file = (await other.file("fil_1"))!;
      expect(file).toMatchObject({ file: "fil_1", name: "pläne.pdf", type: about.type, bytes: bytes.length });
      const read = await Array.fromAsync(file.read());
      expect(read.length).toBeGreaterThan(1);
      expect(digest(Buffer.concat(read))).toBe(digest(bytes));
      expect(await other.file("fil_none")).toBeUndefined();
    });

    it("lets others write while it is on its way", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const gate = Promise.withResolvers<void>();
      async function* slow(): AsyncGenerator<Uint8Array> {
        yield noise(400_000);
        await gate.promise;
        yield noise(400_000);
      }
      const putting = store.putFile(about, slow(), MB);
      await write(store, "ses_a", notice("meanwhile"));
      expect(await store.file("fil_1")).toBeUndefined(); // nobody sees half a file
      gate.resolve();
      expect(await putting).toMatchObject({ ok: true });
      expect((await store.file("fil_1"))?.bytes).toBe(800_000);
    });

    it("that is too large leaves nothing behind", async () => {
      const store = await open();
      expect(await store.putFile(about, pieces(noise(MB), 100_000), MB - 1)).toEqual({
        ok: false,
        code: "too_large",
      });
      expect(await store.file("fil_1")).toBeUndefined();
      expect(await store.putFile(about, pieces(noise(MB), 100_000), MB)).toMatchObject({ ok: true });
      expect((await store.check()).problems).toEqual([]);
    });

    it("whose sender goes away leaves nothing behind", async () => {
      const store = await open();
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield noise(300_000);
        throw new Error("the connection was cut");
      }
      await expect(store.putFile(about, broken(), MB)).rejects.toThrow("the connection was cut");
      expect(await store.file("fil_1")).toBeUndefined();
      expect(await store.putFile(about, pieces(noise(10), 3), MB)).toMatchObject({ ok: true });
    });

    it("that nobody names goes after a week, with its bytes", async () => {
      const store = await open();
      await store.putFile(about, pieces(noise(300_000), 100_000), MB);
      clock.advance(6 * DAY_MS);
      await store.tidy();
      expect(await contents(store)).toEqual(Buffer.from(noise(300_000)));
      clock.advance(2 * DAY_MS);
      await store.tidy();
      expect(await store.file("fil_1")).toBeUndefined();
      const other = await another(store);
      await other.tidy();
      expect(await other.keepFiles("ses_a", ["fil_1"])).toEqual([undefined]);
      // Not a chunk is left: the same name has only what is put now.
      await other.putFile(about, pieces(noise(7), 3), MB);
      expect(await contents(other)).toHaveLength(7);
    });

    it("is kept by the last log that names it, and goes a day after that", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await makeSession(store, "ses_b");
      await store.putFile(about, pieces(noise(1_000), 100), MB);
      const file = { file: about.id, name: about.name, type: about.type, bytes: 1_000 };
      for (const id of ["ses_a", "ses_b"]) {
        expect(await store.keepFiles(id, ["fil_none", "fil_1"])).toEqual([undefined, file]);
        await write(store, id, naming("inp_1", file));
      }
      clock.advance(60 * DAY_MS);
      await store.tidy();
      clock.advance(60 * DAY_MS);
      await store.tidy();
      await store.deleteSession("ses_a", { force: true });
      clock.advance(8 * DAY_MS);
      await store.tidy();
      expect(await contents(store)).toHaveLength(1_000);
      await store.deleteSession("ses_b", { force: true });
      await store.tidy();
      expect(await contents(store)).toHaveLength(1_000);
      const other = await another(store);
      clock.advance(DAY_MS + 1);
      await other.tidy();
      expect(await other.file("fil_1")).toBeUndefined();
    });

    it("stays with what was forked from its log, and with the log's successor", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await putNamed(store, "ses_a");
      await store.forkSession("ses_a", undefined, "ses_fork", owner);
      const view = (await store.view("ses_a"))!;
      const [last] = await store.eventsBefore("ses_a", formatPosition(Number.MAX_SAFE_INTEGER, 0), 1);
      const succession = {
        from: "ses_a",
        view,
        at: last!.position,
        id: "ses_next",
        reason: "undone",
        first: [],
      };
      expect(await store.succeedSession(succession, owner)).toMatchObject({ ok: true });
      for (const gone of ["ses_a", "ses_fork"]) {
        await store.deleteSession(gone, { force: true });
        clock.advance(60 * DAY_MS);
        await store.tidy();
        expect(await contents(store)).toHaveLength(1_000);
      }
      await store.deleteSession("ses_next", { force: true });
      clock.advance(8 * DAY_MS);
      await store.tidy();
      expect(await store.file("fil_1")).toBeUndefined();
    });

    it("that is named by a session's first input is kept with it", async () => {
      const store = await open();
      await store.putFile(about, pieces(noise(1_000), 100), MB);
      clock.advance(7 * DAY_MS - 1);
      const [file] = await store.keepFiles("ses_a", ["fil_1"]);
      clock.advance(1_000);
      await store.tidy();
      await makeSession(store, "ses_a", { first: [naming("inp_1", file!)] });
      clock.advance(60 * DAY_MS);
      await store.tidy();
      expect(await contents(store)).toHaveLength(1_000);
    });

    it("that an import brings, or finds, is kept with it, and goes with one that is abandoned", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const file = await putNamed(store, "ses_a");
      const facts = await readAll(store, "ses_a");
      const brought = { ...file, file: "fil_2" };
      const bring = async (id: string) => {
        const into = await store.beginImport(id);
        for (const info of [file, brought])
          expect(await into.addFile(info, pieces(noise(1_000), 100))).toBe(true);
        for (const fact of facts) await into.addEvent(fact);
        return into;
      };
      expect(await (await bring("ses_b")).finish({ from: "ses_a" }, owner)).toMatchObject({ ok: true });
      await (await bring("ses_c")).abandon();
      await store.deleteSession("ses_a", { force: true });
      clock.advance(60 * DAY_MS);
      await store.tidy();
      expect(await store.keepFiles("ses_b", ["fil_1", "fil_2"])).toEqual([file, brought]);
      await store.deleteSession("ses_b", { force: true });
      clock.advance(60 * DAY_MS);
      await store.tidy();
      for (const id of ["fil_1", "fil_2"]) expect(await store.file(id)).toBeUndefined();
    });

    async function putNamed(store: Store, session: string): Promise<FileInfo> {
      await store.putFile(about, pieces(noise(1_000), 100), MB);
      const [file] = await store.keepFiles(session, ["fil_1"]);
      await write(store, session, naming("inp_1", file!));
      return file!;
    }

    async function contents(store: Store): Promise<Buffer> {
      return Buffer.concat(await Array.fromAsync((await store.file("fil_1"))!.read()));
    }
  });
});

function naming(input: string, file: FileInfo): NewFact {
  return { type: "input_admitted", data: { input, kind: "prompt", text: "look", attachments: [file] } };
}

/** The same bytes for the same size, without a pattern that a mistake could hide in. */
function noise(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = size + 1;
  for (let n = 0; n < size; n++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[n] = state >>> 24;
  }
  return bytes;
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
