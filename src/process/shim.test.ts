import { spawnSync } from "node:child_process";
import { access, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endOf, saidBy, until, untilSaid, useScene } from "./scene.ts";
import type { Spawner } from "./spawner.ts";
import { startProcess } from "./start.ts";
import { stopProcess } from "./stop.ts";
import { findTree } from "./tree.ts";

const scene = useScene();

test.each([
  ["exit 0", 0, "exit"],
  ["exit 7", 7, "exit"],
  ["kill -INT $$", 130, "signal"],
  ["kill -KILL $$", 137, "signal"],
  ["kill -TERM $$", 143, "signal"],
])("the exit code of %s is recorded as %i", async (command, exit, cause) => {
  const end = await endOf(await scene.start(command));
  expect(end).toMatchObject({ state: "exited", exit, cause });
});

test("a command that is not there ends with 127 and says so", async () => {
  const process = await scene.start(["no-such-program", "x"]);
  expect(await endOf(process)).toMatchObject({ state: "exited", exit: 127 });
  expect(await saidBy(process)).toContain("no-such-program");
});

test("output holds both streams in the order they were written, and nothing of the shim", async () => {
  const process = await scene.start("echo one; echo two >&2; echo three; kill -KILL $$");
  await endOf(process);
  expect(await saidBy(process)).toBe("one\ntwo\nthree\n");
});

test("a command reads an empty input, so that cat, sort and the like end", async () => {
  const process = await scene.start("cat; echo done");
  expect(await endOf(process)).toMatchObject({ state: "exited", exit: 0 });
  expect(await saidBy(process)).toBe("done\n");
});

test("a command runs in its directory with exactly the environment it was given", async () => {
  const env = { PATH: "/bin:/usr/bin", shim_dir: "mine", LANG: "C" };
  const process = await scene.start(["/usr/bin/env"], { env });
  await endOf(process);
  const seen = Object.fromEntries(
    (await saidBy(process))
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s, 2)),
  );
  expect(seen).toMatchObject({ PATH: "/bin:/usr/bin", LANG: "C", PWD: scene.workspace });
  const shellsOwn = ["PWD", "OLDPWD", "_", "SHLVL"];
  expect(
    Object.keys(seen)
      .filter((name) => !shellsOwn.includes(name))
      .toSorted(),
  ).toEqual(["HOLDFAST_PROCESS", "LANG", "PATH", "shim_dir"]);
});

test("a directory that vanishes just before the command begins is told, and the command runs nowhere else", async () => {
  const cwd = join(scene.workspace, "soon-gone");
  await mkdir(cwd);
  const vanishing: Pick<Spawner, "spawn"> = {
    async spawn(request, ended) {
      await rm(cwd, { recursive: true });
      return scene.spawner.spawn(request, ended);
    },
  };
  const started = await startProcess(scene.spec("touch ran", { cwd }), vanishing);
  if (!started.ok) throw new Error(started.reason);
  expect(await endOf(started.process)).toMatchObject({ state: "exited", exit: 126 });
  expect(await saidBy(started.process)).toContain("soon-gone");
});

test("a command that floods its output is ended at the limit with a clear last line", async () => {
  const process = await scene.start("yes", { outputMaxBytes: 256 * 1024 });
  expect(await endOf(process)).toMatchObject({ state: "exited", exit: 137, cause: "output_limit" });
  expect((await saidBy(process)).trimEnd().split("\n").at(-1)).toContain("its output reached 256 KiB");
  expect((await stat(join(process.dir, "output"))).size).toBeLessThan(257 * 1024);
});

test("flooding that ignores a closed pipe is ended as well", async () => {
  const process = await scene.start(
    "trap '' PIPE; while :; do echo 0123456789012345678901234567890123456789; done",
    {
      outputMaxBytes: 16 * 1024,
    },
  );
  expect(await endOf(process)).toMatchObject({ state: "exited", exit: 137, cause: "output_limit" });
});

test("a command whose further output is discarded goes on to its own end", async () => {
  const process = await scene.start("yes | head -c 300000; echo end >finished; exit 3", {
    outputMaxBytes: 64 * 1024,
    whenFull: "discard",
  });
  expect(await endOf(process)).toMatchObject({ state: "exited", exit: 3, cause: "exit" });
  expect(await saidBy(process)).toContain("output beyond 64 KiB is not kept");
  expect(await readFile(join(scene.workspace, "finished"), "utf8")).toBe("end\n");
  expect((await stat(join(process.dir, "output"))).size).toBeLessThan(65 * 1024);
});

test("the limit on output is none on the files that a command writes", async () => {
  const process = await scene.start("head -c 300000 /dev/zero >large && wc -c <large", {
    outputMaxBytes: 16 * 1024,
  });
  expect(await endOf(process)).toMatchObject({ exit: 0 });
  expect((await saidBy(process)).trim()).toBe("300000");
});

test("SIGINT reaches a command, which a shell's background jobs would ignore", async () => {
  const process = await scene.start("echo ready; sleep 1000");
  await untilSaid(process, "ready");
  const stopped = await stopProcess(process.dir, { reason: "stopped", signal: "SIGINT" });
  expect(stopped.state).toMatchObject({ state: "exited", exit: 130, cause: "stopped" });
});

test("an end is told only when the last word before it is in the file", async () => {
  const running = await scene.start("echo ready; until [ -e gate ]; do sleep 0.05; done; echo last");
  await untilSaid(running, "ready");
  const copier = (await findTree(running.dir)).keepers.find(({ name }) => name === "cat")?.pid ?? 0;
  process.kill(copier, "SIGSTOP");
  const heard = endOf(running).then(() => saidBy(running));
  await writeFile(join(scene.workspace, "gate"), "");
  await until("the exit", () =>
    access(join(running.dir, "exit")).then(
      () => true,
      () => false,
    ),
  );
  process.kill(copier, "SIGCONT");
  expect(await heard).toBe("ready\nlast\n");
});

test("what a finished command left running does not hold up its end, and what it says is still kept", async () => {
  const gate = join(scene.workspace, "gate");
  const process = await scene.start(`(until [ -e ${gate} ]; do sleep 0.05; done; echo late) & echo early`);
  expect(await endOf(process)).toMatchObject({ state: "exited", exit: 0 });
  expect(await saidBy(process)).toBe("early\n");
  await writeFile(gate, "");
  await until("the late word", async () => (await saidBy(process)) === "early\nlate\n");
});

const canMount = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0;

describe.skipIf(!canMount)("on a full disk (skipped for who may not mount one)", () => {
  test.each([
    ["dd if=/dev/zero of=fill bs=4k 2>/dev/null; exit 5", { exit: 5, cause: "exit" }],
    ["yes", { exit: 137, cause: "unwritable" }],
  ])("the end of %s is still recorded", async (command, end) => {
    const disk = join(scene.workspace, "disk");
    await mkdir(disk);
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", disk]).status).toBe(0);
    try {
      const process = await scene.start(command, { dir: join(disk, "prc_full"), cwd: disk });
      expect(await endOf(process)).toMatchObject({ state: "exited", ...end });
      await until("the shim's end", async () => (await findTree(process.dir)).keepers.length === 0);
    } finally {
      spawnSync("umount", ["-l", disk]);
    }
  });
});
