// All processes of the machine at one moment, with what ties some of them to a Holdfast process.
import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { codeOf } from "./directory.ts";
import { isGone, readStat, type Stat } from "./proc-stat.ts";

export type Row = Omit<Stat, "session" | "cpuMs"> & {
  session: number | null;
  cpuMs: number | null;
  /** The value of HOLDFAST_PROCESS in its environment. */
  tag: string | null;
  /** Device and inode of its standard output and error. */
  outputs: readonly string[];
};

/**
 * Ties are read only of processes that started at `since` (ticks after boot) or later: an older one cannot descend
 * from what is looked for.
 */
export async function processTable(since: number): Promise<Row[]> {
  if (process.platform !== "linux") return tableByPs();
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const rows: Row[] = [];
  for (let i = 0; i < pids.length; i += READ_AT_ONCE)
    rows.push(
      ...(await Promise.all(pids.slice(i, i + READ_AT_ONCE).map((pid) => readRow(pid, since)))).filter(
        (row) => row !== undefined,
      ),
    );
  return rows;
}

const READ_AT_ONCE = 64;
const KERNEL_THREADS = 2;

async function readRow(pid: number, since: number): Promise<Row | undefined> {
  const row = await readStat(pid);
  if (row === undefined || row.state === "Z" || row.state === "X") return undefined; // ended, only not yet asked how
  if (row.ppid === KERNEL_THREADS || Number(row.start) < since) return { ...row, tag: null, outputs: [] };
  return { ...row, tag: await tagOf(pid), outputs: await outputsOf(pid) };
}

async function tagOf(pid: number): Promise<string | null> {
  const environ = await ofOthers(readFile(`/proc/${pid}/environ`, "latin1"));
  return environ?.match(/(?:^|\0)HOLDFAST_PROCESS=([^\0]*)/)?.[1] ?? null;
}

async function outputsOf(pid: number): Promise<string[]> {
  const files = await Promise.all([1, 2].map((fd) => ofOthers(stat(`/proc/${pid}/fd/${fd}`))));
  return files.flatMap((file) => (file === undefined ? [] : [`${file.dev}:${file.ino}`]));
}

/** Another person's processes can't be read, and none of them is ours. */
export async function ofOthers<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isGone(error) || codeOf(error) === "EACCES" || codeOf(error) === "EPERM") return undefined;
    throw error;
  }
}

const COMMAND_SHOWN_CHARS = 200;

/** As a person would know it. */
export async function commandOf(row: Row): Promise<string> {
  const line =
    process.platform === "linux" ? await ofOthers(readFile(`/proc/${row.pid}/cmdline`, "utf8")) : "";
  const command = line?.replaceAll("\0", " ").trim().slice(0, COMMAND_SHOWN_CHARS);
  return command || row.name;
}

/** macOS shows neither environments nor files so cheaply: parents and groups must do. */
export async function tableByPs(): Promise<Row[]> {
  const { stdout } = await promisify(execFile)("ps", ["-axo", "pid=,ppid=,pgid=,state=,lstart=,comm="], {
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout.split("\n").flatMap((line): Row[] => {
    const match = /^ *(\d+) +(\d+) +(\d+) +(\S+) +(\S+ +\S+ +\S+ +\S+ +\S+) +(.*)$/.exec(line);
    if (match === null || match[4]?.startsWith("Z")) return [];
    const [, pid, ppid, pgrp, state = "", start = "", name = ""] = match;
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        pgrp: Number(pgrp),
        session: null,
        state,
        start: start.replaceAll(/ +/g, "_"),
        cpuMs: null,
        name,
        tag: null,
        outputs: [],
      },
    ];
  });
}
