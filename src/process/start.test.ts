import { access, readFile, writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endOf, isRunning, saidBy, until, useScene } from "./scene.ts";
import type { Spawner } from "./spawner.ts";
import { COMMAND_MAX_BYTES, startProcess } from "./start.ts";

const scene = useScene();

test.each([
  ["an empty command", { command: "" }, "bad_command"],
  ["a command of no words", { command: [] }, "bad_command"],
  ["a command with a NUL", { command: "echo a\0b" }, "bad_command"],
  ["an environment with a NUL", { env: { PATH: "/bin", X: "a\0b" } }, "bad_command"],
  [
    "a command that is too long to be passed on",
    { command: `: ${"x".repeat(COMMAND_MAX_BYTES)}` },
    "bad_command",
  ],
  ["a directory that is not there", { cwd: "/no/such/place" }, "cwd_missing"],
  ["a directory that is a file", { cwd: "/etc/passwd" }, "cwd_missing"],
  ["a directory inside a file", { cwd: "/etc/passwd/x" }, "cwd_missing"],
])("%s is refused with a reason before anything is kept", async (_, wrong, code) => {
  const spec = scene.spec("true", wrong);
  const started = await startProcess(spec, scene.spawner);
  expect(started).toMatchObject({ ok: false, code, reason: expect.stringMatching(/\w+/) });
  await expect(access(spec.dir)).rejects.toThrow("ENOENT");
});

test("the longest command that is allowed does run", async () => {
  const end = ";echo ok";
  const process = await scene.start(`: ${"x".repeat(COMMAND_MAX_BYTES - 2 - end.length)}${end}`);
  expect(await endOf(process)).toMatchObject({ exit: 0 });
  expect(await saidBy(process)).toBe("ok\n");
});

test("what was asked is on the disk before the spawn, without the values of the environment", async () => {
  const spec = scene.spec("true", { env: { PATH: "/usr/bin:/bin", KEY: "s3cret" } });
  let kept = "";
  const started = await startProcess(spec, {
    async spawn(request, ended) {
      kept = await readFile(join(spec.dir, "spec.json"), "utf8");
      return scene.spawner.spawn(request, ended);
    },
  });
  expect(started).toMatchObject({ ok: true });
  expect(JSON.parse(kept)).toMatchObject({ id: spec.id, command: "true", cwd: spec.cwd });
  expect(kept).not.toContain("s3cret");
});

test("an id is started once: the second start is told so and runs nothing", async () => {
  const spec = scene.spec("echo once >>runs");
  const [first, second] = await Promise.all([
    startProcess(spec, scene.spawner),
    startProcess(spec, scene.spawner),
  ]);
  const [won, lost] = first.ok ? [first, second] : [second, first];
  expect(lost).toMatchObject({ ok: false, code: "taken" });
  if (won.ok) await endOf(won.process);
  expect(await readFile(join(scene.workspace, "runs"), "utf8")).toBe("once\n");
});

test("a shim that is spawned twice runs its command once", async () => {
  const spec = scene.spec("echo once >>runs");
  const started = await startProcess(spec, {
    async spawn(request, ended) {
      await scene.spawner.spawn(request, () => {});
      return scene.spawner.spawn(request, ended);
    },
  });
  if (!started.ok) throw new Error(started.reason);
  await endOf(started.process);
  expect(await readFile(join(scene.workspace, "runs"), "utf8")).toBe("once\n");
});

test("a command that its shim cannot begin ends with 126 and why, and has not run", async () => {
  const spec = scene.spec("touch ran");
  const started = await startProcess(spec, {
    async spawn(request, ended) {
      await mkdir(join(spec.dir, "pipe")); // stands where the shim wants its FIFO
      return scene.spawner.spawn(request, ended);
    },
  });
  if (!started.ok) throw new Error(started.reason);
  expect(await endOf(started.process)).toMatchObject({ state: "exited", exit: 126 });
  expect(await saidBy(started.process)).toContain("mkfifo");
  await expect(access(join(scene.workspace, "ran"))).rejects.toThrow("ENOENT");
});

test("a spawn that fails gives the directory up, so that a late shim cannot run it", async () => {
  const spec = scene.spec("touch ran");
  let late: () => Promise<unknown> = async () => {};
  const started = await startProcess(spec, {
    async spawn(request) {
      const over = Promise.withResolvers<void>();
      late = async () => {
        await scene.spawner.spawn(request, over.resolve);
        await over.promise;
      };
      return { ok: false, reason: "out of processes" };
    },
  });
  expect(started).toEqual({ ok: false, code: "spawn_failed", reason: "out of processes" });
  await late();
  await expect(access(join(scene.workspace, "ran"))).rejects.toThrow("ENOENT");
});

test("twenty commands at once all run, each with its own output and code", async () => {
  const processes = await Promise.all(
    Array.from({ length: 20 }, (_, n) => scene.start(`echo number ${n}; exit ${n}`)),
  );
  const ends = await Promise.all(processes.map(endOf));
  expect(ends.map((end) => end.state === "exited" && end.exit)).toEqual(
    Array.from({ length: 20 }, (_, n) => n),
  );
  expect(await Promise.all(processes.map(saidBy))).toEqual(
    Array.from({ length: 20 }, (_, n) => `number ${n}\n`),
  );
});

test("a killed helper is replaced, and what it had started goes on", async () => {
  const gate = join(scene.workspace, "gate");
  const before = await scene.start(`until [ -e ${gate} ]; do sleep 0.05; done; exit 5`);
  const helper = scene.spawner.pid ?? 0;
  process.kill(helper, "SIGKILL");
  await until("the helper's death", async () => !(await isRunning(helper)));
  expect(await endOf(await scene.start("exit 6"))).toMatchObject({ exit: 6 });
  expect(scene.spawner.pid).not.toBe(helper);
  await writeFile(gate, "");
  expect(await endOf(before)).toMatchObject({ state: "exited", exit: 5 });
});

test("commands that were asked of a helper that dies each run once", async () => {
  await endOf(await scene.start("true")); // there is a helper now
  process.kill(scene.spawner.pid ?? 0, "SIGSTOP");
  let asked = 0;
  const counting: Pick<Spawner, "spawn"> = {
    spawn(request, ended) {
      asked += 1;
      return scene.spawner.spawn(request, ended);
    },
  };
  const starting = Array.from({ length: 8 }, (_, n) =>
    startProcess(scene.spec(`echo ${n} >>runs`), counting),
  );
  await until("all eight to be asked for", () => asked === 8);
  process.kill(scene.spawner.pid ?? 0, "SIGKILL");
  for (const started of await Promise.all(starting)) {
    if (!started.ok) throw new Error(started.reason);
    await endOf(started.process);
  }
  const runs = (await readFile(join(scene.workspace, "runs"), "utf8")).trim().split("\n").toSorted();
  expect(runs).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
});

test("the helper ends with its server, even one that was killed", async () => {
  const server = scene.serverStarting(scene.spec("true"));
  const { spawner } = await server.started;
  expect(await isRunning(spawner)).toBe(true);
  await server.kill();
  await until("the helper's end", async () => !(await isRunning(spawner)));
});
