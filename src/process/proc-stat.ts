// One line of Linux's process table, as /proc/<pid>/stat has it.
import { readFile } from "node:fs/promises";

export type Stat = {
  pid: number;
  name: string;
  state: string;
  ppid: number;
  pgrp: number;
  session: number;
  /** Its own and that of the children it has waited for. */
  cpuMs: number;
  /** In clock ticks since boot; a string, because it is compared with what a shim wrote. */
  start: string;
};

/** The kernel reports in hundredths of a second to every program, whatever its own clock. */
const MS_PER_TICK = 10;

/** Undefined when there is no such process. */
export async function readStat(pid: number): Promise<Stat | undefined> {
  try {
    return parseStat(await readFile(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** A process may end between being listed and being read. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH");
}

/** The name stands in parentheses and may hold spaces and parentheses itself. */
export function parseStat(line: string): Stat {
  const open = line.indexOf("(");
  const close = line.lastIndexOf(")");
  const fields = line.slice(close + 2).split(" ");
  const number = (index: number) => Number(fields[index]);
  return {
    pid: Number(line.slice(0, open)),
    name: line.slice(open + 1, close),
    state: fields[0] ?? "",
    ppid: number(1),
    pgrp: number(2),
    session: number(3),
    cpuMs: (number(11) + number(12) + number(13) + number(14)) * MS_PER_TICK,
    start: fields[19] ?? "",
  };
}
