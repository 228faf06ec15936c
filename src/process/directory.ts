// A process's directory, file by file: all that shim and server tell each other. shim.sh names what it writes.
import { mkdir, open, readFile, readlink, rename, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bootId, type Identity } from "./identity.ts";

/** What was asked for, kept from before the spawn. Values of the environment stay out: they may be secrets. */
export type KeptSpec = {
  id: string;
  command: string | readonly string[];
  cwd: string;
  stdin: "null" | "fifo";
  sandboxed: boolean;
  outputMaxBytes: number;
  whenFull: "end" | "discard";
  boot: string;
};

/** Who has the directory: a shim, or nobody ever again, with the verdict that stays. */
export type Claim = Identity | Verdict;
export type Verdict = "unstarted" | "lost";

export type StopReason = "stopped" | "timed_out";

/** False when it is there already: making the directory is the first claim on the id. */
export async function makeDirectory(dir: string): Promise<boolean> {
  await mkdir(dirname(dir), { recursive: true, mode: 0o700 });
  try {
    await mkdir(dir, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** On the disk when this returns, with the directory itself and the one that holds it. */
export async function commitSpec(dir: string, spec: Omit<KeptSpec, "boot">): Promise<void> {
  const kept: KeptSpec = { ...spec, boot: await bootId() };
  await commit(dir, "spec.json", `${JSON.stringify(kept)}\n`);
  await sync(dirname(dir));
  await sync(dirname(dirname(dir)));
}

export async function readSpec(dir: string): Promise<KeptSpec | undefined> {
  const text = await readText(join(dir, "spec.json"));
  return text === undefined ? undefined : (JSON.parse(text) as KeptSpec); // written by commitSpec, whole or not at all
}

export async function readClaim(dir: string): Promise<Claim | undefined> {
  const text = await missing(readlink(join(dir, "shim")));
  if (text === undefined) return undefined;
  if (text === "unstarted" || text === "lost") return text;
  const [boot, pid, start] = text.split(" ");
  if (boot === undefined || start === undefined || !/^\d+$/.test(pid ?? ""))
    throw new Error(`${join(dir, "shim")} names no process: "${text}"`);
  return { boot, pid: Number(pid), start };
}

/** From now on no shim can start in this directory, unless one already has. */
export async function giveUp(dir: string, verdict: Verdict): Promise<void> {
  await linkOnce(verdict, join(dir, "shim"));
}

/**
 * For a process that may have begun elsewhere: with nothing here to tell, nobody knows what became of it. On the disk when
 * this returns.
 */
export async function giveUpUntold(dir: string): Promise<void> {
  await makeDirectory(dir);
  if ((await readSpec(dir)) !== undefined) return;
  await giveUp(dir, "lost");
  await sync(dir);
  await sync(dirname(dir));
}

/** Undefined until the shim has come that far. */
export async function readJob(dir: string): Promise<number | undefined> {
  const text = await readText(join(dir, "job"));
  return text !== undefined && /^\d+\n$/.test(text) ? Number(text) : undefined;
}

export type ExitRecord = { code: number; atMs: number };

/** A file that holds no code counts as no file: an exit that was not recorded is never 0. */
export async function readExit(dir: string): Promise<ExitRecord | undefined> {
  const path = join(dir, "exit");
  const text = await readText(path);
  if (text === undefined || !/^\d{1,3} *\n$/.test(text)) return undefined;
  return { code: Number(text), atMs: (await stat(path)).mtimeMs };
}

/** Kept, so that the cause is known even if the server dies while it stops the process. The first reason stays. */
export async function markStop(dir: string, reason: StopReason): Promise<void> {
  if (await linkOnce(reason, join(dir, "stop"))) await sync(dir);
}

export async function readStop(dir: string): Promise<StopReason | undefined> {
  const reason = await missing(readlink(join(dir, "stop")));
  return reason === "stopped" || reason === "timed_out" ? reason : undefined;
}

export async function has(dir: string, file: "closed" | "cut"): Promise<boolean> {
  return (await missing(stat(join(dir, file)))) !== undefined;
}

export async function outputBytes(dir: string): Promise<number> {
  return (await missing(stat(join(dir, "output"))))?.size ?? 0;
}

export async function readText(path: string): Promise<string | undefined> {
  return missing(readFile(path, "utf8"));
}

/** What is not there is an answer; any other failure is not. */
export async function missing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** A link that leads nowhere: its text is there whole or not at all, and who comes second is told so. */
async function linkOnce(text: string, path: string): Promise<boolean> {
  try {
    await symlink(text, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function commit(dir: string, name: string, text: string): Promise<void> {
  const file = await open(join(dir, `${name}.tmp`), "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(join(dir, `${name}.tmp`), join(dir, name));
  await sync(dir);
}

async function sync(dir: string): Promise<void> {
  const handle = await open(dir, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
