import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { StorageError, type Store } from "../store/store.ts";
import type { Tool } from "../tool/tool.ts";
import { toolbox } from "../tool/toolbox.ts";
import { results, useScene } from "./scene.ts";
import type { Script } from "./scripted-driver.ts";

const scene = useScene();

type Asked = { call: string; args: unknown };
const edit = (path: string, old: string, text: string): Asked => ({
  call: "edit",
  args: { path, old, new: text },
});
const once =
  (...calls: Asked[]): Script =>
  ({ context }) =>
    context.length === 1 ? { calls } : "Done.";
const content = (name: string) => readFile(join(scene.workspace, name), "utf8");
const put = (name: string, text: string) => writeFile(join(scene.workspace, name), text);

it("edits of one file in one step are all made, by whichever name they call it", async () => {
  await mkdir(join(scene.workspace, "real"));
  await symlink("real", join(scene.workspace, "linked"));
  const lines = Array.from({ length: 12 }, (_, n) => `line ${n};`);
  await put("real/many.txt", lines.join("\n"));
  const names = ["real/many.txt", "linked/many.txt", "./x/../real/many.txt"];
  await scene.run(
    once(...lines.map((line, n) => edit(names[n % names.length] ?? "", line, line.toUpperCase()))),
  );
  const log = await scene.untilFact(await scene.send("edit it"), "turn_ended");
  expect(results(log).map(({ status }) => status)).toEqual(lines.map(() => "ok"));
  expect(await content("real/many.txt")).toBe(lines.join("\n").toUpperCase());
});

it("what changes one file happens in the order of the calls", async () => {
  await scene.run(
    once(
      { call: "write", args: { path: "new/list.txt", text: "a" } },
      { call: "write", args: { path: "new/other.txt", text: "other" } },
      edit("new/list.txt", "a", "ab"),
      edit("new/list.txt", "ab", "abc"),
      { call: "write", args: { path: "new/list.txt", text: "again" } },
      edit("new/list.txt", "again", "and again"),
    ),
  );
  const log = await scene.untilFact(await scene.send("write it"), "turn_ended");
  expect(results(log).map(({ status }) => status)).toEqual(Array(6).fill("ok"));
  expect(await content("new/list.txt")).toBe("and again");
});

it("edits of one file by many sessions at once are all made", async () => {
  const names = Array.from({ length: 8 }, (_, n) => `line ${n};`);
  await put("shared.txt", names.join("\n"));
  await scene.run(({ context }) => {
    const [first] = context;
    const line = first?.role === "person" ? first.text : "";
    return context.length === 1
      ? { call: "edit", args: { path: "shared.txt", old: line, new: line.toUpperCase() } }
      : "Done.";
  });
  const sessions = await Promise.all(names.map((line) => scene.send(line)));
  const logs = await Promise.all(sessions.map((session) => scene.untilFact(session, "turn_ended")));
  expect(logs.flatMap(results).map(({ status, result }) => `${status} ${result}`)).toEqual(
    names.map(() => "ok Edited shared.txt."),
  );
  expect(await content("shared.txt")).toBe(names.join("\n").toUpperCase());
});

it("what changes another file does not wait", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const acts = (name: string, run: () => Promise<void> | void): Tool => ({
    name,
    description: name,
    args: z.unknown(),
    effect: "idempotent",
    kind: "plain",
    about: (_, { workspace }) => ({ title: name, subject: name, cwd: workspace, harmless: true }),
    changes: () => Promise.resolve(name),
    run: async () => {
      await run();
      return { status: "ok", result: name };
    },
  });
  const tools = [acts("first", () => released), acts("second", release)];
  await scene.run(once({ call: "first", args: {} }, { call: "second", args: {} }), {
    toolbox: toolbox(new Map(tools.map((tool) => [tool.name, tool]))),
  });
  const log = await scene.untilFact(await scene.send("both"), "turn_ended");
  // Waiting, neither would have ended; which of them is told first is up to the moment in which the first is let go.
  expect(results(log).map(({ result }) => result)).toEqual(expect.arrayContaining(["first", "second"]));
});

it("a read beside edits of its file sees one of its states, whole", async () => {
  const long = "x".repeat(300_000);
  await put("f", `0${long}.`);
  const calls = Array.from({ length: 10 }, (_, n) => [
    edit("f", `${n}x`, `${n + 1}x`),
    { call: "read", args: { path: "f" } },
  ]);
  await scene.run(once(...calls.flat()));
  const log = await scene.untilFact(await scene.send("both"), "turn_ended");
  expect(results(log).filter(({ status }) => status !== "ok")).toEqual([]);
  expect(await content("f")).toBe(`10${long}.`);
});

it("once the outcome of an edit could not be written, no other of its file begins before it is found", async () => {
  await put("f", "one two");
  let fails = true;
  const failing = (store: Store): Store => ({
    ...store,
    append: async (log, events, writer, options) => {
      if (fails && events.some(({ type }) => type === "tool_finished")) {
        fails = false;
        scene.advance(20_000); // its lease runs out meanwhile
        throw new StorageError("busy", "the database is away");
      }
      return store.append(log, events, writer, options);
    },
  });
  const log = { info: () => {}, error: () => {} };
  const script = once(edit("f", "one", "1"), edit("f", "two", "2"));
  await scene.run(script, {}, { store: failing(scene.store), log });
  const events = await scene.untilFact(await scene.send("edit it"), "turn_ended");
  expect(fails).toBe(false);
  expect(results(events).map(({ status }) => status)).toEqual(["ok", "ok"]);
  expect(await content("f")).toBe("1 2");
});
