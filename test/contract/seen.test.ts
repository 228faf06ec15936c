import { describe, expect, it } from "vitest";
import { formatPosition, START } from "../../src/session/position.ts";
import { MISSED_MAX } from "../../src/session/row.ts";
import { UNREAD_MAX } from "../../src/store/store.ts";
import {
  byAnna,
  byOwner,
  claim,
  draft,
  makeSession,
  notice,
  prompt,
  row,
  stepCompleted,
  stepStarted,
  toolFinished,
  write,
} from "./samples.ts";
import { forEachStore } from "./stores.ts";

describe("what a person has seen", () => {
  forEachStore(({ open, another }) => {
    it("only rises, is each person's own, and is kept", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await write(store, "ses_a", notice("2"), notice("3"));
      expect(await store.seen("owner", "ses_a")).toBe(START);
      expect(await store.setSeen("owner", "ses_a", formatPosition(3, 0))).toEqual({
        ok: true,
        position: formatPosition(3, 0),
      });
      expect(await store.setSeen("owner", "ses_a", formatPosition(2, 0))).toEqual({
        ok: true,
        position: formatPosition(3, 0),
      });
      expect(await store.seen("anna", "ses_a")).toBe(START);
      const other = await another(store);
      expect(await other.seen("owner", "ses_a")).toBe(formatPosition(3, 0));
    });

    it("can't be ahead of the log, nor of a session that is not there", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      expect(await store.setSeen("owner", "ses_a", formatPosition(2, 0))).toEqual({
        ok: false,
        code: "ahead",
      });
      expect(await store.setSeen("owner", "ses_a", formatPosition(1, 1))).toEqual({
        ok: false,
        code: "ahead",
      });
      expect(await store.setSeen("owner", "ses_none", START)).toEqual({ ok: false, code: "not_found" });
      expect(await store.seen("owner", "ses_none")).toBe(START);
      expect(await store.seen("owner", "ses_a")).toBe(START);
    });

    it("leaves unread what others said after it: inputs and answers, but no drafts, tools or own words", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const lease = await claim(store, "ses_a");
      const executor = { by: "executor", lease } as const;
      await store.append("ses_a", [prompt("inp_1")], byOwner);
      await store.append("ses_a", [prompt("inp_2")], byAnna);
      await store.append("ses_a", [stepStarted("s1"), draft("s1.1/0", 0, "answ")], executor);
      await store.append(
        "ses_a",
        [stepCompleted("s1", "answer"), toolFinished("c1", "out"), notice("x")],
        executor,
      );
      await store.append(
        "ses_a",
        [
          {
            type: "step_completed",
            data: { step: "s2", attempt: 1, message: [{ type: "call", call: "c2", name: "n", args: {} }] },
          },
        ],
        executor,
      );
      expect((await row(store, "ses_a", "owner")).unread).toBe(2);
      expect((await row(store, "ses_a", "anna")).unread).toBe(2);
      expect((await row(store, "ses_a", "carl")).unread).toBe(3);

      const answer = (await store.events("ses_a", START, 100)).find(({ type }) => type === "step_completed")!;
      await store.setSeen("owner", "ses_a", formatPosition(3, 0));
      expect((await row(store, "ses_a", "owner")).unread).toBe(1);
      await store.setSeen("owner", "ses_a", answer.position);
      expect((await row(store, "ses_a", "owner")).unread).toBe(0);
      expect((await row(store, "ses_a", "anna")).unread).toBe(2);
      const [listed] = (await store.sessions({ limit: 1 }, "anna")).items;
      expect(listed?.unread).toBe(2);
    });

    it("counts what a person's own program wrote as news to that person", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await store.append("ses_a", [prompt("inp_1")], {
        by: "client",
        author: { person: "owner", program: true },
      });
      expect((await row(store, "ses_a", "owner")).unread).toBe(1);
    });

    it("stops counting at UNREAD_MAX", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await store.append(
        "ses_a",
        Array.from({ length: UNREAD_MAX + 20 }, (_, n) => prompt(`inp_${n}`)),
        byAnna,
      );
      expect(await row(store, "ses_a", "owner")).toMatchObject({
        unread: UNREAD_MAX,
        messages: UNREAD_MAX + 20,
      });
    });

    it("says what came while somebody was away, from any position", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      const lease = await claim(store, "ses_a");
      const executor = { by: "executor", lease } as const;
      await store.append("ses_a", [prompt("inp_1")], byOwner);
      await store.append(
        "ses_a",
        [
          stepCompleted("s1", "one"),
          toolFinished("c1", "out"),
          toolFinished("c2", "out"),
          stepCompleted("s2", "two"),
        ],
        executor,
      );
      await store.append(
        "ses_a",
        [
          { type: "ask_opened", data: { ask: "ask_1", kind: "approval", title: "?" } },
          { type: "ask_opened", data: { ask: "ask_2", kind: "clarify", title: "?" } },
          { type: "ask_closed", data: { ask: "ask_2", kind: "clarify", reason: "withdrawn" } },
        ],
        executor,
      );
      expect(await store.missed("ses_a", START, "owner")).toEqual({ messages: 2, tools: 2, asks: 1 });
      expect(await store.missed("ses_a", START, "anna")).toEqual({ messages: 3, tools: 2, asks: 1 });
      expect(await store.missed("ses_a", formatPosition(4, 0), "owner")).toEqual({
        messages: 1,
        tools: 1,
        asks: 1,
      });
      expect(await store.missed("ses_a", formatPosition(9, 0), "owner")).toEqual({
        messages: 0,
        tools: 0,
        asks: 1,
      });
      expect(await store.missed("ses_none", START, "owner")).toEqual({ messages: 0, tools: 0, asks: 0 });
    });

    it("stops counting at MISSED_MAX, each kind by itself", async () => {
      const store = await open();
      await makeSession(store, "ses_a");
      await store.append(
        "ses_a",
        Array.from({ length: MISSED_MAX + 20 }, (_, n) => toolFinished(`c${n}`, "out")),
        { by: "executor", lease: await claim(store, "ses_a") },
      );
      await store.append("ses_a", [prompt("inp_1")], byAnna);
      expect(await store.missed("ses_a", START, "owner")).toEqual({
        messages: 1,
        tools: MISSED_MAX,
        asks: 0,
      });
    });
  });
});
