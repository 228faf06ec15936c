import { describe, expect, it } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import {
  appended,
  byOwner,
  makeSession,
  notice,
  owner,
  prompt,
  stepCompleted,
  stepStarted,
  toolFinished,
  write,
} from "./samples.ts";
import { storedText } from "../../src/store/long-text.ts";
import type { SearchHit, Store } from "../../src/store/store.ts";
import { forEachStore } from "./stores.ts";

describe("search", () => {
  forEachStore(({ open, another, clock }) => {
    it("finds inputs, answers, tool output and titles, newest first, with their place and surroundings", async () => {
      const store = await open();
      await makeSession(store, "ses_a", { title: "The zebra project" });
      clock.advance(1_000);
      await write(store, "ses_a", prompt("inp_1", "where is the zebra?"));
      await write(
        store,
        "ses_a",
        stepCompleted("s1", "The zebra is here"),
        toolFinished("c1", "zebra.txt:1"),
      );
      await write(store, "ses_a", stepStarted("zebra")); // which says nothing
      const found = await hits(store, "zebra", 10);
      expect(found.map(({ type }) => type)).toEqual([
        "tool_finished",
        "step_completed",
        "input_admitted",
        "session_created",
      ]);
      expect(found[1]).toEqual({
        session: "ses_a",
        title: "The zebra project",
        position: formatPosition(3, 0),
        at: clock.iso(),
        type: "step_completed",
        snippet: "The zebra is here",
      });
      expect(await hits(store, "zebra", 2)).toEqual(found.slice(0, 2));
    });

    it("gives page after page, newest first and each hit once, whatever is written meanwhile", async () => {
      const store = await open();
      for (const session of ["ses_a", "ses_b"]) await makeSession(store, session);
      for (let n = 1; n <= 5; n++) {
        await write(store, "ses_a", prompt(`inp_a${n}`, `needle a${n}`));
        await write(store, "ses_b", prompt(`inp_b${n}`, `needle b${n}`));
        if (n % 2 === 0) clock.advance(1_000); // some at the same time, some not
      }
      const all = await hits(store, "needle", 20);
      expect(all).toHaveLength(10);
      const paged: SearchHit[] = [];
      let after: string | undefined;
      for (let page = 1; page <= 4; page++) {
        const { items, next } = await store.search({ q: "needle", limit: 3, after });
        paged.push(...items);
        expect(next === null).toBe(page === 4);
        after = next ?? undefined;
        clock.advance(1_000);
        await write(store, "ses_a", prompt(`inp_later${page}`, "a needle that came later"));
      }
      expect(paged).toEqual(all);
      expect((await store.search({ q: "needle", limit: 14 })).next).toBeNull(); // all, and not one more
    });

    it("wants all words, in any order, and takes the last as the beginning of one", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(
        store,
        "ses_a",
        prompt("inp_1", "the quick brown fox"),
        prompt("inp_2", "the slow brown bear"),
      );
      const found = async (query: string) => (await hits(store, query, 10)).length;
      expect(await found("brown")).toBe(2);
      expect(await found("fox quick")).toBe(1);
      expect(await found("brown qui")).toBe(1);
      expect(await found("qui brown")).toBe(0);
      expect(await found("fox bear")).toBe(0);
      expect(await found("rown")).toBe(0);
      expect(await found("")).toBe(0);
      expect(await found("  !?  ")).toBe(0);
    });

    it("folds case and accents on both sides", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(
        store,
        "ses_a",
        prompt("inp_1", "Café CRÈME in Čeština"),
        prompt("inp_2", "cafe\u0301 decomposed"),
      );
      for (const query of ["cafe", "CAFÉ", "cafe\u0301"])
        expect(await hits(store, query, 10)).toHaveLength(2);
      expect(await hits(store, "creme cestina", 10)).toHaveLength(1);
    });

    it("folds the letters of every script, and shows them as they were written", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const text = `${"filler ".repeat(50)}Ёлка Йод, Ελλάδα ΕΛΛΆΣ, Tiếng Việt, İstanbul, हिन्दी, 𞤀𞤣𞤤, ไทย, Łódź`;
      await write(store, "ses_a", prompt("inp_1", text), prompt("inp_2", text.normalize("NFD")));
      const asked = ["елка", "ЁЛКА", "иод", "ελλαδα", "ΕΛΛΆΔΑ", "ελλας", "ΕΛΛΆΣ", "ελλά", "tieng viet"];
      for (const query of [...asked, "istanbul", "हिन्दी", "𞤀𞤣𞤤", "𞤢𞤣𞤤", "ไทย", "łódź", "łodz"]) {
        const found = await hits(store, query, 10);
        expect([query, found.length]).toEqual([query, 2]);
        expect(found[1]?.snippet).toContain("हिन्दी, 𞤀𞤣𞤤, ไทย, Łódź");
      }
      expect(await hits(store, "lodz", 10)).toEqual([]); // a letter of its own, and no L with an accent
    });

    it("takes a word that comes again as once, and the last as it was typed as the beginning of one", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", prompt("inp_1", "hello there"), prompt("inp_2", "oh, hel, hello"));
      const found = async (query: string) => (await hits(store, query, 10)).length;
      expect(await found("hello hello")).toBe(2);
      expect(await found("hello hel")).toBe(2);
      expect(await found("hello hel hello")).toBe(1);
      expect(await found("hel hello hel")).toBe(1);
      expect(await found("there HELLO there hello th")).toBe(1);
    });

    it("takes any query as words, never as a language of its own", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(
        store,
        "ses_a",
        prompt("inp_1", "and or not near foo_bar src/main.ts user@example.com 100% it's 日本語 テスト"),
      );
      for (const query of [
        "AND",
        "or NOT",
        'foo"',
        "foo_bar",
        "src/main.ts",
        "user@example",
        "100%",
        "it's",
        "NEAR(",
        "a*^:b -c",
        "日本語",
        "' or 1=1 --",
      ])
        await expect(hits(store, query, 10)).resolves.toBeDefined();
      for (const query of ["AND", "or NOT", "foo_bar", "src/main.ts", "user@example", "100%", "it's", "日本"])
        expect(await hits(store, query, 10)).toHaveLength(1);
      expect(await hits(store, "\u0000", 10)).toEqual([]);
    });

    it("finds it on another node, and no more once the session is deleted", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", prompt("inp_1", "the needle"));
      const other = await another(store);
      expect(await hits(other, "needle", 10)).toHaveLength(1);
      await other.deleteSession("ses_a", { force: true });
      expect(await hits(other, "needle", 10)).toEqual([]);
    });

    it("shows the words around a hit in a long text", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(
        store,
        "ses_a",
        toolFinished("c1", `${"filler ".repeat(500)}the Needle${" filler".repeat(500)}`),
      );
      const [hit] = await hits(store, "needle", 1);
      expect(hit?.snippet).toContain("the Needle");
      expect(hit!.snippet.length).toBeLessThan(200);
    });

    it("finds what an answer said that broke off, summaries and notices", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(
        store,
        "ses_a",
        { type: "step_aborted", data: { step: "s1", attempt: 1, reason: "stopped", said: "half a heron" } },
        { type: "turn_ended", data: { turn: "t1", outcome: "failed", said: "the other half of the heron" } },
        {
          type: "context_compacted",
          data: { summary: "They talked about a heron", covers: formatPosition(2, 0), method: "model" },
        },
        notice("the heron was let go"),
      );
      expect((await hits(store, "heron", 10)).map(({ type }) => type)).toEqual([
        "notice",
        "context_compacted",
        "turn_ended",
        "step_aborted",
      ]);
    });

    it("finds the last word of a long message, in the event or put aside, and shows it", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      for (const [chars, word] of [
        [60_000, "heron"],
        [189_000, "bittern"],
        [260_000, "egret"],
      ] as const) {
        const text = await storedText(store, "ses_a", `${filler(chars)} ${word}`);
        await write(store, "ses_a", prompt(`inp_${word}`, text));
      }
      for (const word of ["heron", "bittern", "egret"])
        expect(await hits(store, word, 10)).toMatchObject([
          { session: "ses_a", snippet: expect.stringContaining(word) as string },
        ]);
      const other = await another(store); // which has put nothing aside, nor sorted anything in
      expect(await hits(other, "egret bittern", 10)).toEqual([]);
      expect(await hits(other, "filler egret", 10)).toHaveLength(1);
    });

    it("finds a long first prompt, and one that is written again by whoever did not put it aside", async () => {
      const store = await open();
      const text = await storedText(store, "ses_a", `${filler(100_000)} heron`);
      await makeSession(store, "ses_a", { first: [prompt("inp_1", text)] });
      const other = await another(store);
      await appended(
        other.append(
          "ses_a",
          [{ type: "input_edited", data: { input: "inp_1", kind: "steer", text } }],
          byOwner,
        ),
      );
      expect((await hits(other, "heron", 10)).map(({ type }) => type)).toEqual([
        "input_edited",
        "input_admitted",
      ]);
    });

    it("finds the last word of a long message in a copy of its session", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const text = await storedText(store, "ses_a", `${filler(100_000)} heron`);
      await write(store, "ses_a", prompt("inp_1", text), notice("a place to fork at"));
      const forked = await store.forkSession("ses_a", undefined, "ses_b", owner);
      expect(forked).toMatchObject({ ok: true });
      expect((await hits(store, "heron", 10)).map(({ session }) => session).toSorted()).toEqual([
        "ses_a",
        "ses_b",
      ]);
    });

    it("finds messages up to 256 K characters, and of a tool's output how it begins", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const message = await storedText(store, "ses_a", `${filler(256 * 1024)} heron`);
      const output = await storedText(store, "ses_a", `${filler(10_000)} bittern ${filler(90_000)} egret`);
      await write(store, "ses_a", prompt("inp_1", message), toolFinished("c1", output));
      expect(await hits(store, "filler", 10)).toHaveLength(2);
      expect(await hits(store, "bittern", 10)).toHaveLength(1);
      expect(await hits(store, "heron", 10)).toEqual([]);
      expect(await hits(store, "egret", 10)).toEqual([]);
    });
  });
});

function filler(chars: number): string {
  return "filler ".repeat(Math.ceil(chars / 7)).slice(0, chars);
}

async function hits(store: Store, q: string, limit: number): Promise<SearchHit[]> {
  return (await store.search({ q, limit })).items;
}
