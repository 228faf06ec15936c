// Starting a command under a shim. What was asked is on the disk before anything runs, and whatever dies on the way,
// the command runs once or not at all: the shim's claim decides, and a start that failed gives the directory up.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commitSpec, giveUp, makeDirectory, readClaim, readText, type Claim } from "./directory.ts";
import { looks } from "./looks.ts";
import { planFault, sandboxed, type SandboxPlan } from "./sandbox.ts";
import type { Spawner } from "./spawner.ts";
import type { RunningProcess } from "./state.ts";

export type ProcessSpec = {
  id: string;
  /** HOLDFAST_HOME/processes/<id>; made here. */
  dir: string;
  /** A text for the shell, or a program with its arguments. */
  command: string | readonly string[];
  cwd: string;
  /** All of it, as `childEnvironment` picks it. */
  env: Readonly<Record<string, string>>;
  /** Without it the command reads an empty input: with an open one `cat`, `sort` and the like would wait for ever. */
  stdin?: "fifo";
  sandbox?: SandboxPlan;
  outputMaxBytes?: number;
  /** What is done at that many bytes: `end` the command (the default), or let it go on and `discard` the rest. */
  whenFull?: "end" | "discard";
};

export type Started =
  | { ok: true; process: RunningProcess }
  | {
      ok: false;
      code: "cwd_missing" | "bad_command" | "bad_sandbox" | "taken" | "spawn_failed";
      reason: string;
    };

export const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
/** Linux takes no longer argument, and a command is one. */
export const COMMAND_MAX_BYTES = 128 * 1024 - 1;
const CLAIM_WITHIN_MS = 30_000;

const SHIM = fileURLToPath(new URL("./shim.sh", import.meta.url));

export async function startProcess(spec: ProcessSpec, spawner: Pick<Spawner, "spawn">): Promise<Started> {
  const fault = commandFault(spec);
  if (fault !== undefined) return { ok: false, code: "bad_command", reason: fault };
  if (!(await isDirectory(spec.cwd)))
    return { ok: false, code: "cwd_missing", reason: `there is no directory ${spec.cwd}` };
  const hole = spec.sandbox && (await planFault(spec.sandbox));
  if (hole !== undefined) return { ok: false, code: "bad_sandbox", reason: hole };
  if (!(await makeDirectory(spec.dir)))
    return { ok: false, code: "taken", reason: `${spec.id} was started or given up before` };
  await commitSpec(spec.dir, {
    id: spec.id,
    command: spec.command,
    cwd: spec.cwd,
    stdin: spec.stdin ?? "null",
    sandboxed: spec.sandbox !== undefined,
    outputMaxBytes: outputMaxBytes(spec),
    whenFull: spec.whenFull ?? "end",
  });
  return spawnShim(spec, spawner);
}

async function spawnShim(spec: ProcessSpec, spawner: Pick<Spawner, "spawn">): Promise<Started> {
  const args = await shimArgs(spec);
  const env = { ...spec.env, HOLDFAST_PROCESS: spec.id };
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), CLAIM_WITHIN_MS);
  try {
    const claim = claimed(spec.dir, over.signal);
    const spawned = await spawner.spawn({ file: "/bin/sh", args, env }, () => over.abort());
    if (!spawned.ok) over.abort();
    const reason = spawned.ok ? "the shim did not begin" : spawned.reason;
    return started(spec, await claim, reason);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** Without a claim in time, the directory is given up; should the shim be first after all, it runs. */
async function started(spec: ProcessSpec, early: Claim | undefined, reason: string): Promise<Started> {
  if (early === undefined) await giveUp(spec.dir, "unstarted");
  const claim = early ?? (await readClaim(spec.dir));
  if (typeof claim === "object")
    return { ok: true, process: { state: "running", dir: spec.dir, shim: claim } };
  const said = (await readText(join(spec.dir, "shim.log")))?.trim();
  return { ok: false, code: "spawn_failed", reason: said ? `${reason}: ${said}` : reason };
}

async function claimed(dir: string, signal: AbortSignal): Promise<Claim | undefined> {
  for await (const _ of looks(dir, signal)) {
    const claim = await readClaim(dir);
    if (claim !== undefined) return claim;
  }
  return readClaim(dir); // the shim may be over already, its command too
}

async function shimArgs(spec: ProcessSpec): Promise<string[]> {
  const argv = typeof spec.command === "string" ? ["/bin/sh", "-c", spec.command] : spec.command;
  return [
    SHIM,
    "run",
    spec.dir,
    spec.cwd,
    spec.stdin ?? "null",
    String(outputMaxBytes(spec) / 1024),
    spec.whenFull ?? "end",
    ...(spec.sandbox === undefined ? argv : await sandboxed(argv, spec.cwd, spec.sandbox)),
  ];
}

/** In whole KiB, as the shim counts. */
function outputMaxBytes(spec: ProcessSpec): number {
  return Math.max(1, Math.floor((spec.outputMaxBytes ?? OUTPUT_MAX_BYTES) / 1024)) * 1024;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // not there, not reachable, not to be entered: for the command it is all one
  }
}

function commandFault({ command, cwd, env }: ProcessSpec): string | undefined {
  const texts = typeof command === "string" ? [command] : command;
  if (texts.length === 0 || texts[0] === "") return "there is no command to run";
  if (texts.some((text) => Buffer.byteLength(text) > COMMAND_MAX_BYTES))
    return `a command can have at most ${COMMAND_MAX_BYTES} bytes: write it to a file and run that`;
  if ([...texts, cwd, ...Object.values(env)].some((text) => text.includes("\0")))
    return "a command, its directory and its environment cannot hold a NUL character";
  return undefined;
}
