// A process as it goes over the wire: what the log says of it, and how it is doing where it runs.
import type { Process } from "../protocol/http.ts";
import type { ProcessRow } from "../store/store.ts";
import type { Context } from "./context.ts";

/** What only the machine knows that a process runs on. */
export interface LiveProcesses {
  readonly host: string;
  /** Undefined when it was not measured yet, or does not run here. */
  measured(process: string): Measured | undefined;
  /** Whether its command has exited and left something running, for which no call waits any more. */
  hasLeft(process: string): Promise<boolean>;
  output(
    process: string,
    from: number,
    limit: number,
  ): Promise<{ text: string; from: number; next: number; bytes: number }>;
}

export type Measured = {
  class: NonNullable<Process["class"]>;
  why: string;
  cpu: number | null;
  pid: number | null;
  ports: readonly number[];
  memoryBytes: number | null;
};

const TAIL_BYTES = 2_000;

export async function wireProcess({ agents, now }: Context, row: ProcessRow): Promise<Process> {
  const live = agents?.()?.processes;
  const isHere = live !== undefined && row.host === live.host;
  const measured = isHere && row.status === "running" ? live.measured(row.id) : undefined;
  const until = row.endedAt === null ? now() : Date.parse(row.endedAt);
  return {
    id: row.id,
    session: row.session,
    task: null,
    run: null,
    call: row.call,
    command: row.command,
    cwd: row.cwd,
    background: row.background || (isHere && row.status === "running" && (await live.hasLeft(row.id))),
    host: row.host,
    status: row.status,
    class: measured?.class ?? null,
    why: measured?.why ?? null,
    holdsReset: row.status === "running" && measured?.class !== "service" && measured?.class !== "stale",
    pid: measured?.pid ?? null,
    cpu: measured?.cpu ?? null,
    memory: measured?.memoryBytes ?? null,
    ports: [...(measured?.ports ?? [])],
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    ageSeconds: Math.max(0, Math.round((until - Date.parse(row.startedAt)) / 1000)),
    exit: row.exit,
    cause: row.cause,
    outputTail: isHere ? await tailOf(live, row.id) : null,
  };
}

async function tailOf(live: LiveProcesses, process: string): Promise<string> {
  const { bytes } = await live.output(process, 0, 0);
  const { text } = await live.output(process, Math.max(0, bytes - TAIL_BYTES), TAIL_BYTES);
  return text.replace(/^\uFFFD+/, ""); // the rest of a character that begins before it
}
