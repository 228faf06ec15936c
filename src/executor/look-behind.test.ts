// What looks at a file in the step that changes it has its place among the calls.
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AnyEvent, FactData } from "../session/event.ts";
import { START, type Position } from "../session/position.ts";
import type { Store } from "../store/store.ts";
import type { Profile } from "./drain.ts";
import { results, types, useScene } from "./scene.ts";
import type { Script } from "./scripted-driver.ts";

const scene = useScene();

type Asked = { call: string; args: unknown };
const edit = (path: string, old: string, text: string): Asked => ({
  call: "edit",
  args: { path, old, new: text },
});
const read = (path: string): Asked => ({ call: "read", args: { path } });
const once =
  (...calls: Asked[]): Script =>
  ({ context }) =>
    context.length === 1 ? { calls } : "Done.";
const put = (name: string, text: string) => writeFile(join(scene.workspace, name), text);
const ASKS_EDITS: Profile["policy"] = {
  approvals: "auto",
  config: [{ tool: "edit", match: "*", decision: "ask" }],
};

/** Starts an executor, and tells when it has given the session back with nothing left to do in its log. */
async function running(
  script: Script,
  policy: Profile["policy"],
): Promise<(session: string) => Promise<void>> {
  let restedAt: Position = START;
  const store: Store = {
    ...scene.store,
    releaseLease: async (lease, rested) => {
      const released = await scene.store.releaseLease(lease, rested);
      if (rested !== undefined) restedAt = rested;
      return released;
    },
  };
  await scene.run(script, { policy }, { store });
  return async (session) => {
    await expect.poll(async () => restedAt === (await scene.store.view(session))?.position).toBe(true);
  };
}

/** By the order of the calls. */
function inOrder(log: readonly AnyEvent[]): string[] {
  const number = (call: string) => Number(call.slice(call.lastIndexOf("-") + 1));
  return results(log)
    .toSorted((a, b) => number(a.call) - number(b.call))
    .map(({ result }) => result.trim());
}

it("a read sees what the calls before it have made of its file, and nothing of those after it", async () => {
  await mkdir(join(scene.workspace, "real"));
  await symlink("real", join(scene.workspace, "linked"));
  await put("real/f", "0.");
  const calls = Array.from({ length: 20 }, (_, n) => [
    edit("real/f", `${n}.`, `${n + 1}.`),
    read("linked/f"),
    read("./real/f"),
  ]);
  await scene.run(once(...calls.flat(), { call: "write", args: { path: "new", text: "new." } }, read("new")));
  const log = await scene.untilFact(await scene.send("both"), "turn_ended");
  const seen = Array.from({ length: 20 }, (_, n) => ["Edited real/f.", `1\t${n + 1}.`, `1\t${n + 1}.`]);
  expect(inOrder(log)).toEqual([...seen.flat(), expect.stringContaining("new"), "1\tnew."]);
});

it("a search sees what the calls before it have made of what it searches, and nothing of those after it", async () => {
  await put("f", "zero");
  const search = (path?: string): Asked => ({ call: "search", args: { pattern: "zero|one|two", path } });
  await scene.run(
    once(search("f"), edit("f", "zero", "one"), search(), search("f"), edit("f", "one", "two"), search("f")),
  );
  const log = await scene.untilFact(await scene.send("both"), "turn_ended");
  expect(inOrder(log).map((result) => /zero|one|two/.exec(result)?.[0] ?? "")).toEqual([
    "zero",
    "",
    "one",
    "one",
    "",
    "two",
  ]);
});

it.each([
  ["once", "1\tnew"],
  ["deny", "1\told"],
])(
  "a read behind an edit that waits for a person waits with it, then goes on (%s)",
  async (choice, expected) => {
    await put("f", "old");
    await put("other", "other");
    const script = once(edit("f", "old", "new"), read("f"), read("other"));
    const rests = await running(script, ASKS_EDITS);
    const session = await scene.send("both");
    const [ask] = asksIn(await scene.untilFact(session, "ask_opened"));
    await rests(session);
    expect(inOrder(await scene.untilFact(session, "tool_finished"))).toEqual(["1\tother"]);
    await answer(session, ask!.ask, choice);
    const log = await scene.untilFact(session, "turn_ended");
    expect(inOrder(log).slice(1)).toEqual([expected, "1\tother"]);
  },
);

it("a command behind an edit that waits for a person waits with it, beside another of its kind", async () => {
  await put("f", "old");
  const cat: Asked = { call: "shell", args: { command: "cat f" } };
  const rests = await running(once(cat, edit("f", "old", "new"), cat, cat), ASKS_EDITS);
  const session = await scene.send("both");
  const [ask] = asksIn(await scene.untilFact(session, "ask_opened"));
  await rests(session);
  expect(inOrder(await scene.untilFact(session, "tool_finished"))).toEqual([expect.stringContaining("old")]);
  await answer(session, ask!.ask, "once");
  const log = await scene.untilFact(session, "turn_ended");
  expect(inOrder(log).map((result) => /old|new|Edited/.exec(result)?.[0])).toEqual([
    "old",
    "Edited",
    "new",
    "new",
  ]);
});

it("what changes a file behind a command that waits has its place behind it", async () => {
  await put("a", "old");
  await put("b", "old");
  const rule = { tool: "edit", match: "a", decision: "ask" } as const;
  const sed: Asked = { call: "shell", args: { command: "sed -i s/old/new/ b" } };
  const rests = await running(once(edit("a", "old", "new"), sed, edit("b", "new", "newest"), read("b")), {
    approvals: "auto",
    config: [rule],
  });
  const session = await scene.send("both");
  const [ask] = asksIn(await scene.untilFact(session, "ask_opened"));
  await rests(session);
  expect(results(await scene.untilFact(session, "ask_opened"))).toEqual([]);
  await answer(session, ask!.ask, "once");
  const log = await scene.untilFact(session, "turn_ended");
  expect(inOrder(log).toSpliced(1, 1)).toEqual(["Edited a.", "Edited b.", "1\tnewest"]);
});

it("what waits for a command that a shutdown leaves running is left as well", async () => {
  await put("f", "old");
  const make: Asked = { call: "shell", args: { command: "echo begun > mark; sleep 600" } };
  await scene.run(once(make, edit("f", "not there yet", "new")));
  const session = await scene.send("both");
  await scene.untilFact(session, "process_started");
  await scene.stop();
  const view = (await scene.store.view(session))!;
  const states = view.messages.flatMap((message) => (message.kind === "step" ? message.parts : []));
  expect(states).toMatchObject([{ state: "started" }, { state: "proposed" }]);
});

it("what is given to another agent waits for the files that it may be about", async () => {
  await put("plan", "old");
  const script: Script = ({ context }) => {
    const [first] = context;
    if (first?.role !== "person" || first.text !== "both") return "The other one is done.";
    return context.length === 1
      ? { calls: [edit("plan", "old", "new"), { call: "delegate", args: { prompt: "follow the plan" } }] }
      : "Done.";
  };
  const rests = await running(script, ASKS_EDITS);
  const session = await scene.send("both");
  const [ask] = asksIn(await scene.untilFact(session, "ask_opened"));
  await rests(session);
  expect(types(await scene.untilFact(session, "ask_opened"))).not.toContain("delegated");
  await answer(session, ask!.ask, "once");
  const log = types(await scene.untilFact(session, "turn_ended"));
  expect(log.indexOf("delegated")).toBeGreaterThan(log.indexOf("tool_finished"));
});

it("whoever takes over leaves a read behind the edit that a person is still asked about", async () => {
  await put("f", "old");
  const script = once(edit("f", "old", "new"), read("f"));
  const rests = await running(script, ASKS_EDITS);
  const session = await scene.send("both");
  const [ask] = asksIn(await scene.untilFact(session, "ask_opened"));
  await rests(session);
  const restsAgain = await running(script, ASKS_EDITS);
  const steer = { input: "inp_1", kind: "steer", text: "and hurry" } as const;
  await scene.append(session, { type: "input_admitted", data: steer }); // so it is looked at again
  await restsAgain(session);
  expect(results(await scene.untilFact(session, "ask_opened"))).toEqual([]);
  await answer(session, ask!.ask, "once");
  expect(inOrder(await scene.untilFact(session, "turn_ended"))).toEqual(["Edited f.", "1\tnew"]);
});

it("a read that is asked about itself is asked about at once, and what was answered is acted on once", async () => {
  await put("f", "old");
  const config = [{ tool: "*", match: "*", decision: "ask" }] as const;
  const script = once(edit("f", "old", "new"), read("f"));
  const rests = await running(script, { approvals: "ask", config });
  const session = await scene.send("both");
  const [first, second] = asksIn(await scene.untilFact(session, "ask_opened", 2));
  await answer(session, second!.ask, "session");
  await rests(session);
  expect(results(await scene.untilFact(session, "ask_answered"))).toEqual([]);
  await answer(session, first!.ask, "once");
  const log = await scene.untilFact(session, "turn_ended");
  expect(inOrder(log)).toEqual(["Edited f.", "1\tnew"]);
  expect(types(log).filter((type) => type === "rule_added")).toHaveLength(1);
  expect(await readFile(join(scene.workspace, "f"), "utf8")).toBe("new");
});

function asksIn(events: readonly AnyEvent[]): FactData<"ask_opened">[] {
  return events.flatMap(({ type, data }) => (type === "ask_opened" ? [data as FactData<"ask_opened">] : []));
}

async function answer(session: string, ask: string, choice: string): Promise<void> {
  await scene.append(session, { type: "ask_answered", data: { ask, kind: "approval", answer: { choice } } });
}
