import { describe, expect, it } from "vitest";
import type { StepRequest } from "../driver/driver.ts";
import { SUMMARY_INSTRUCTIONS } from "../session/compaction.ts";
import type { AnyEvent } from "../session/event.ts";
import { types, useScene } from "./scene.ts";
import type { Line, Script } from "./scripted-driver.ts";

const scene = useScene();
const ROOM_CHARS = 6_000;
const READS = 4;

/** Reads one long file after the other until it has seen enough of them, in a context that does not take them all. */
function reading(summary: Line): Script {
  return (request) => {
    if (request.instructions === SUMMARY_INSTRUCTIONS) return summary;
    if (charsOf(request) > ROOM_CHARS)
      return { fault: { class: "context_too_long", message: "that is too much for me" } };
    const named = JSON.stringify(request.context).matchAll(/file (\d)/g);
    const seen = Math.max(0, ...named.map(([, n]) => Number(n)));
    return seen < READS
      ? { call: "shell", args: { command: `echo file ${seen + 1}; head -c 2500 /dev/zero | tr '\\0' x` } }
      : "I have read them all.";
  };
}

const charsOf = ({ context }: StepRequest) =>
  context.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
const ofType = (log: readonly AnyEvent[], type: string) => log.filter((event) => event.type === type);

describe("a context that is too long", () => {
  it("is compacted under the lease, and the step is tried once more", async () => {
    const driver = await scene.run(reading("file 1 and file 2 are full of x"));
    const log = await scene.untilFact(await scene.send("read them all"), "turn_ended");
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
    const [compacted] = ofType(log, "context_compacted");
    expect(compacted?.data).toMatchObject({ method: "model", usage: { inputTokens: 10 } });
    expect(types(log).slice(types(log).indexOf("compaction_started") - 1)).toEqual(
      expect.arrayContaining(["step_aborted", "compaction_started", "context_compacted", "step_started"]),
    );
    const after = driver.requests.at(-1)?.context ?? [];
    expect(JSON.stringify(after[0])).toContain("file 1 and file 2 are full of x");
    expect(after[1]).toMatchObject({ role: "person", text: "read them all" });
    expect(ofType(log, "step_started").map(({ data }) => (data as { attempt: number }).attempt)).toContain(2);
  });

  it("becomes an extract when the model gives no summary in time, and the log says so", async () => {
    const driver = await scene.run(reading({ hangs: "Well" }), {}, { summaryTimeoutMs: 30 });
    const log = await scene.untilFact(await scene.send("read them all"), "turn_ended");
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
    expect(ofType(log, "context_compacted")[0]?.data).toMatchObject({ method: "fallback" });
    expect(JSON.stringify(driver.requests.at(-1)?.context[0])).toContain("Agent calls shell");
  });

  it("fails the turn with its reason when it is too long even so, or nothing can be left out", async () => {
    const tooLong: Line = { fault: { class: "context_too_long", message: "still too much" } };
    await scene.run(({ instructions, context }) =>
      instructions === SUMMARY_INSTRUCTIONS
        ? "a summary"
        : context.length === 1
          ? { call: "shell", args: { command: "echo some words to leave out" } }
          : tooLong,
    );
    const session = await scene.send("go");
    const log = await scene.untilFact(session, "turn_ended");
    expect(ofType(log, "context_compacted")).toHaveLength(1);
    expect(log.at(-1)?.data).toMatchObject({ outcome: "failed", error: { code: "context_too_long" } });

    await scene.run(() => tooLong);
    const alone = await scene.untilFact(await scene.send("all of it at once"), "turn_ended");
    expect(types(alone)).not.toContain("compaction_started");
    expect(alone.at(-1)?.data).toMatchObject({ outcome: "failed", error: { message: "still too much" } });
  });

  it("is compacted by the next executor when the first one goes in the middle of it", async () => {
    await scene.run(reading({ hangs: "Well" }));
    const session = await scene.send("read them all");
    await scene.untilFact(session, "compaction_started");
    await scene.run(reading("file 2 was the last"));
    const log = await scene.untilFact(session, "turn_ended");
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
    expect(ofType(log, "compaction_started")).toHaveLength(ofType(log, "context_compacted").length);
  });

  it("is no longer compacted once a person stops the turn", async () => {
    await scene.run(reading({ hangs: "Well" }));
    const session = await scene.send("read them all");
    await scene.untilFact(session, "compaction_started");
    const turn = (await scene.store.view(session))?.turn?.id ?? "";
    await scene.append(session, { type: "stop_requested", data: { turn } });
    const log = await scene.untilFact(session, "turn_ended");
    expect(types(log).slice(-2)).toEqual(["compaction_failed", "turn_ended"]);
    expect((await scene.store.view(session))?.compacting).toBe(false);
  });
});
