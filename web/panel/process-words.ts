// A process in words.
import type { Process } from "../../src/client/commands.ts";
import { megabytes } from "../state/attached-files.ts";
import { between, duration } from "../time-words.ts";

/** How it is doing, or how it ended: a word, and how good that is. */
export function standing(process: Process): { word: string; tone: "good" | "stale" | "bad" | "" } {
  switch (process.status) {
    case "running":
      if (process.class === null) return { word: "running", tone: "good" };
      return { word: process.class, tone: TONES[process.class] };
    case "exited":
      return process.exit === 0 ? { word: "exit 0", tone: "" } : { word: exitWord(process), tone: "bad" };
    case "stopped":
      return { word: process.exit === null ? "stopped" : `stopped, exit ${process.exit}`, tone: "" };
    case "lost":
      return { word: "lost", tone: "bad" };
  }
}

const TONES = { working: "good", waiting: "", service: "good", stale: "stale" } as const;

function exitWord({ exit, cause }: Process): string {
  return exit === null ? (cause ?? "ended") : `exit ${exit}`;
}

/** What is worth a line beside its command. */
export function measures(process: Process, now: number): string[] {
  const { status, startedAt, endedAt, ports, cpu, memory } = process;
  if (status !== "running") return endedAt === null ? [] : [`ran ${between(startedAt, endedAt)}`];
  return [
    duration(1000 * Math.floor((now - Date.parse(startedAt)) / 1000)),
    ...ports.map((port) => `:${port}`),
    ...(cpu === null ? [] : [`${Math.round(cpu * 100)} % cpu`]),
    ...(memory === null ? [] : [megabytes(memory)]),
  ];
}
