import { spawnSync } from "node:child_process";
import { access, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { writeInput } from "./input.ts";
import { describeSandbox, probeSandbox } from "./probe-sandbox.ts";
import { planFault, sandboxFor, type Bubblewrap, type SandboxPlan } from "./sandbox.ts";
import { endOf, isRunning, saidBy, until, untilSaid, useScene } from "./scene.ts";
import { startProcess } from "./start.ts";
import { stopProcess } from "./stop.ts";
import { findTree } from "./tree.ts";

const scene = useScene();
const PATH = process.env["PATH"] ?? "";

const NONE = { kind: "none", reason: "bubblewrap is not installed" } as const;
const SOME: Bubblewrap = { kind: "bubblewrap", program: "/usr/bin/bwrap", version: "0.8.0", system: [] };

test.each([
  ["auto", SOME, { kind: "bubblewrap" }],
  ["auto", NONE, { kind: "none" }],
  ["bubblewrap", SOME, { kind: "bubblewrap" }],
  ["bubblewrap", NONE, { kind: "refused", reason: expect.stringContaining("not installed") }],
  ["none", SOME, { kind: "none", reason: expect.stringContaining("none") }],
] as const)("a profile that says %s, on a machine that has %o, gets %o", (wanted, probed, got) => {
  expect(sandboxFor(wanted, probed)).toMatchObject(got);
});

test("without bubblewrap on the PATH there is no sandbox, and doctor says that commands ask", async () => {
  const probed = await probeSandbox(scene.home, scene.workspace);
  expect(probed).toMatchObject({ kind: "none", reason: expect.stringContaining("not installed") });
  expect(describeSandbox(probed)).toMatch(/^not sandboxed: .*commands ask for approval, unless .*"auto"/);
});

test("a bubblewrap that does not work here is no sandbox, and its own words are the reason", async () => {
  await writeFile(
    join(scene.workspace, "bwrap"),
    "#!/bin/sh\n[ $1 = --version ] && echo bubblewrap 0.8.0 && exit\necho bwrap: Creating new namespace failed >&2; exit 1\n",
    { mode: 0o755 },
  );
  const probed = await probeSandbox(scene.home, scene.workspace);
  expect(probed).toMatchObject({
    kind: "none",
    reason: expect.stringContaining("Creating new namespace failed"),
  });
});

test("a bubblewrap that works is one before HOLDFAST_HOME is made, too", async () => {
  await writeFile(
    join(scene.workspace, "bwrap"),
    "#!/bin/sh\n[ $1 = --version ] && echo bubblewrap 0.8.0\nexit 0\n",
    { mode: 0o755 },
  );
  const probed = await probeSandbox(join(scene.home, "not-made-yet"), scene.workspace);
  expect(probed).toMatchObject({ kind: "bubblewrap", version: "0.8.0" });
});

// Debian's package "bubblewrap"; nothing is installed from here.
const works = spawnSync("bwrap", ["--ro-bind", "/", "/", "true"]).status === 0;

describe.skipIf(!works)("with bubblewrap (skipped where it is not on the PATH or does not work)", () => {
  let plan: SandboxPlan;

  beforeEach(async () => {
    const probed = await probeSandbox(scene.home, PATH);
    if (probed.kind === "none") throw new Error(probed.reason);
    plan = { bubblewrap: probed, workspace: scene.workspace, hidden: scene.home, network: true };
  });

  test.each([
    ["exit 0", 0],
    ["exit 7", 7],
    ["kill -KILL $$", 137],
  ])("the exit code of %s is kept as %i", async (command, exit) => {
    const process = await scene.start(command, { sandbox: plan });
    expect(await endOf(process)).toMatchObject({ state: "exited", exit });
  });

  test("the workspace is writable, in the command's directory", async () => {
    await mkdir(join(scene.workspace, "sub"));
    expect(await said("pwd; echo made >here; cat here", { cwd: join(scene.workspace, "sub") })).toBe(
      `${scene.workspace}/sub\nmade\n`,
    );
    expect(await readFile(join(scene.workspace, "sub/here"), "utf8")).toBe("made\n");
  });

  test.each(["/", "/usr", "/etc"])("%s is read-only, and stays so against a remount", async (place) => {
    const file = join(place, "holdfast-was-here");
    const attempt = `touch ${file} && echo written`;
    expect(await said(`${attempt}; mount -o remount,rw,bind ${place}; ${attempt}`)).not.toMatch(/^written$/m);
    await expect(access(file)).rejects.toThrow("ENOENT");
  });

  test("a command has no capabilities and can make no namespaces of its own", async () => {
    const heard = await said("grep -E '^Cap(Eff|Prm|Bnd)' /proc/self/status; unshare -U true && echo nested");
    expect(heard.match(/0{16}/g)).toHaveLength(3);
    expect(heard).not.toContain("nested\n");
  });

  test.each(["/etc/shadow", "/etc/gshadow"])("%s cannot be read, even by root", async (file) => {
    expect(await said(`wc -c <${file}`)).toMatch(/^0$|denied|cannot open/m);
  });

  test("HOLDFAST_HOME is not visible: not outside, not in the workspace, not through a link", async () => {
    const secret = "holdfast.db";
    await writeFile(join(scene.home, secret), "secret");
    const inside = join(scene.workspace, ".holdfast");
    await mkdir(inside);
    await writeFile(join(inside, secret), "secret");
    await symlink(scene.home, join(scene.workspace, "link"));
    const look = (home: string) => `cat ${join(home, secret)} link/${secret}; ls -A ${home}`;
    expect(await said(look(scene.home))).not.toMatch(/^(secret|holdfast\.db|processes)/m);
    expect(await said(look(inside), {}, { hidden: inside })).not.toMatch(/^(secret|holdfast\.db|processes)/m);
    const linked = join(scene.home, "linked-workspace");
    await symlink(scene.workspace, linked);
    const through = await said(
      `echo works; cat ${linked}/.holdfast/${secret}; ${look(inside)}`,
      { cwd: linked },
      { hidden: inside, workspace: linked },
    );
    expect(through).toMatch(/^works$/m);
    expect(through).not.toMatch(/^(secret|holdfast\.db)/m);
  });

  test("of the home directory nothing is seen, but it is there to be written to", async () => {
    const home = homedir();
    expect(
      await said(`ls -A ${home} | grep -v ^holdfast-; echo kept >${home}/note && cat ${home}/note`, {
        env: { PATH, HOME: home },
      }),
    ).toBe("kept\n");
    await expect(access(join(home, "note"))).rejects.toThrow("ENOENT");
  });

  test("a workspace inside HOLDFAST_HOME is visible, what lies beside it is not", async () => {
    const workspace = join(scene.home, "worktrees/one");
    await mkdir(workspace, { recursive: true });
    await mkdir(join(scene.home, "worktrees/two"));
    await writeFile(join(workspace, "file"), "mine\n");
    expect(await said("cat file; ls ..", { cwd: workspace }, { workspace })).toBe("mine\none\n");
  });

  test("a further directory is writable or readable as the plan says, and what it does not name is not there", async () => {
    const [writable, readable, other] = await Promise.all(
      [1, 2, 3].map(async () => await realpath(await mkdtemp(join(tmpdir(), "holdfast-beside-")))),
    );
    await said(
      `for d in ${writable} ${readable} ${other}; do ls -d $d; echo x >$d/x; done`,
      {},
      {
        writable: [writable ?? ""],
        readable: [readable ?? ""],
      },
    ).then((heard) => {
      expect(heard).toContain(`${writable}\n${readable}\n`);
      expect(heard).not.toMatch(new RegExp(`^${other}$`, "m"));
    });
    expect(await readFile(join(writable ?? "", "x"), "utf8")).toBe("x\n");
    for (const kept of [readable, other])
      await expect(access(join(kept ?? "", "x"))).rejects.toThrow("ENOENT");
    for (const folder of [writable, readable, other]) await rm(folder ?? "", { recursive: true });
  });

  test("a command sees only its own processes, and in no environment anything but its own", async () => {
    const env = { PATH, HOME: "/root", PASSED: "to the command" };
    const heard = await said(
      "echo pids $(ls /proc | grep '^[0-9]'); cat /proc/[0-9]*/environ | tr '\\0' '\\n'",
      { env },
    );
    const pids = /^pids (.*)$/m.exec(heard)?.[1]?.split(" ").map(Number) ?? [];
    expect(pids).toContain(1);
    expect(Math.max(...pids)).toBeLessThan(50);
    const names = new Set(
      heard
        .split("\n")
        .slice(1)
        .flatMap((line) => line.split("=", 1))
        .filter(Boolean),
    );
    expect([...names].filter((name) => !["PWD", "OLDPWD", "_", "SHLVL"].includes(name)).toSorted()).toEqual([
      "HOLDFAST_PROCESS",
      "HOME",
      "PASSED",
      "PATH",
    ]);
  });

  test("the network is there unless it is turned off", async () => {
    const server = createServer((socket) => socket.end("reached\n")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const command = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3'`;
    try {
      expect(await said(command)).toBe("reached\n");
      expect(await said(command, {}, { network: false })).not.toContain("reached");
    } finally {
      server.close();
    }
  });

  test("asked to end, a command inside may clean up first", async () => {
    const process = await scene.start(
      "trap 'echo cleaned up; exit 3' TERM; echo ready; while :; do sleep 0.05; done",
      { sandbox: plan },
    );
    await untilSaid(process, "ready");
    const stopped = await stopProcess(process.dir, { reason: "stopped", graceMs: 20_000 });
    expect(stopped).toMatchObject({ state: { state: "exited", exit: 3, cause: "stopped" }, alive: [] });
    expect(await saidBy(process)).toContain("cleaned up");
  });

  test("a tree inside that ignores SIGTERM and drops every sign of where it came from is ended", async () => {
    const process = await scene.start(
      "(setsid env -i /bin/sh -c 'trap \"\" TERM; sleep 1001' >/dev/null 2>&1 &); trap '' TERM; echo ready; sleep 1000; sleep 1000",
      { sandbox: plan },
    );
    await untilSaid(process, "ready");
    const inside = await until("both sleepers", async () => {
      const members = (await findTree(process.dir)).members.filter(({ name }) => name === "sleep");
      return members.length === 2 && members.map(({ pid }) => pid);
    });
    const stopped = await stopProcess(process.dir, { reason: "stopped", graceMs: 50 });
    expect(stopped).toMatchObject({ state: { state: "exited" }, alive: [] });
    for (const pid of inside) expect(await isRunning(pid)).toBe(false);
  });

  test("everything inside dies with the shim", async () => {
    const process = await scene.start("setsid sleep 1001 & echo ready; sleep 1000", { sandbox: plan });
    await untilSaid(process, "ready");
    const inside = (await findTree(process.dir)).members.map(({ pid }) => pid);
    expect(inside.length).toBeGreaterThanOrEqual(4); // bubblewrap twice and the two sleepers
    globalThis.process.kill(process.shim.pid, "SIGKILL");
    expect(await endOf(process)).toEqual({ state: "lost" });
    for (const pid of inside) await until(`the end of ${pid}`, async () => !(await isRunning(pid)));
  });

  test("what a command leaves running in the sandbox ends with it", async () => {
    const process = await scene.start("setsid sleep 1001 >/dev/null 2>&1 & echo $!", { sandbox: plan });
    expect(await endOf(process)).toMatchObject({ state: "exited", exit: 0 });
    await until("nothing of it", async () => (await findTree(process.dir)).members.length === 0);
  });

  test("a sandboxed command can be written to, and floods no further than its limit", async () => {
    const reading = await scene.start("read line; echo got $line", { sandbox: plan, stdin: "fifo" });
    expect(await writeInput(reading, "word\n")).toEqual({ ok: true });
    await endOf(reading);
    expect(await saidBy(reading)).toBe("got word\n");
    const flooding = await scene.start("yes", { sandbox: plan, outputMaxBytes: 64 * 1024 });
    expect(await endOf(flooding)).toMatchObject({ state: "exited", exit: 137, cause: "output_limit" });
  });

  test("a workspace that is the system or Holdfast's own directory is refused, not walled in", async () => {
    for (const workspace of ["/", "/usr", "/etc", scene.home])
      expect(
        await startProcess(
          scene.spec("true", { cwd: workspace, sandbox: { ...plan, workspace } }),
          scene.spawner,
        ),
      ).toMatchObject({
        ok: false,
        code: "bad_sandbox",
      });
    expect(await planFault({ ...plan, workspace: join(scene.workspace, "gone") })).toContain(
      "does not exist",
    );
    expect(await planFault(plan)).toBeUndefined();
  });

  async function said(
    command: string,
    more: { cwd?: string; env?: Record<string, string> } = {},
    changed: Partial<SandboxPlan> = {},
  ): Promise<string> {
    const process = await scene.start(command, { ...more, sandbox: { ...plan, ...changed } });
    await endOf(process);
    return saidBy(process);
  }
});
