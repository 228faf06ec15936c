import { describe, expect, it } from "vitest";
import { formatPosition } from "../../src/session/position.ts";
import { makeSession, notice, prompt, stepCompleted, toolFinished, write } from "./samples.ts";
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
      await write(store, "ses_a", notice("a zebra in a notice is not searched"));
      const hits = await store.search("zebra", 10);
      expect(hits.map(({ type }) => type)).toEqual([
        "tool_finished",
        "step_completed",
        "input_admitted",
        "session_created",
      ]);
      expect(hits[1]).toEqual({
        session: "ses_a",
        title: "The zebra project",
        position: formatPosition(3, 0),
        at: clock.iso(),
        type: "step_completed",
        snippet: "The zebra is here",
      });
      expect(await store.search("zebra", 2)).toEqual(hits.slice(0, 2));
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
      const found = async (query: string) => (await store.search(query, 10)).length;
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
        expect(await store.search(query, 10)).toHaveLength(2);
      expect(await store.search("creme cestina", 10)).toHaveLength(1);
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
        await expect(store.search(query, 10)).resolves.toBeDefined();
      for (const query of ["AND", "or NOT", "foo_bar", "src/main.ts", "user@example", "100%", "it's", "日本"])
        expect(await store.search(query, 10)).toHaveLength(1);
      expect(await store.search("\u0000", 10)).toEqual([]);
    });

    it("finds it on another node, and no more once the session is deleted", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", prompt("inp_1", "the needle"));
      const other = await another(store);
      expect(await other.search("needle", 10)).toHaveLength(1);
      await other.deleteSession("ses_a", { force: true });
      expect(await other.search("needle", 10)).toEqual([]);
    });

    it("shows the words around a hit in a long text", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(
        store,
        "ses_a",
        toolFinished("c1", `${"filler ".repeat(500)}the Needle${" filler".repeat(500)}`),
      );
      const [hit] = await store.search("needle", 1);
      expect(hit?.snippet).toContain("the Needle");
      expect(hit!.snippet.length).toBeLessThan(200);
    });
  });
});
