// The one registry of processes, as an agent's tool sees it: those of its session's lineage, and of whoever works for it.
import { join } from "node:path";
import { readClaim } from "../process/directory.ts";
import { headTail } from "../process/head-tail.ts";
import { adoptWhole, hasLeft, waitGone } from "../process/left.ts";
import { readOutput } from "../process/output.ts";
import type { ByteMask } from "../secret/mask.ts";
import { requestOutcome } from "../store/request-outcome.ts";
import type { ProcessRow, Store } from "../store/store.ts";
import type { ProcessLine, Processes } from "../tool/process.ts";
import type { ProcessSamples } from "./process-samples.ts";

export type SessionProcessesOptions = {
  store: Store;
  /** HOLDFAST_HOME/processes */
  folder: string;
  samples: ProcessSamples;
  mask: ByteMask;
};

const LISTED_MAX = 50;
/** As a command's result shows it. */
const SHOWN = { headBytes: 8 * 1024, tailBytes: 24 * 1024 };
const READ_BYTES = 32 * 1024;

export function sessionProcesses({ store, folder, samples, mask }: SessionProcessesOptions): Processes {
  const dirOf = (process: string) => join(folder, process);
  return {
    async list(session, all) {
      const sessions = await store.scope(session);
      const { items } = await store.processes({
        sessions,
        limit: LISTED_MAX,
        ...(!all && { running: true }),
      });
      const listed = await Promise.all(
        items.map(async ({ id, background }) => background || all || (await hasLeft(dirOf(id)))),
      );
      return items.filter((_, i) => listed[i]).map((row) => lineOf(row, samples));
    },
    async find(session, process) {
      const row = await store.process(process);
      if (!row || !(await store.scope(session)).includes(row.session)) return undefined;
      return lineOf(row, samples);
    },
    shown: async (process) => (await headTail(dirOf(process), mask, process, SHOWN)).text,
    output: (process, offset) => readOutput(dirOf(process), mask, offset, READ_BYTES),
    async over(process, signal) {
      const dir = dirOf(process);
      if ((await readClaim(dir)) === undefined) return;
      const state = await adoptWhole(dir);
      if (state.state === "running") await waitGone(state, signal);
      await untilTold(store, process, signal);
    },
    async request(key, process, wish, signal) {
      const requested = await store.requestProcess({ id: key, process, wish });
      if (!requested.ok) return "it runs no longer";
      const { outcome } = requested.request;
      return outcome ?? (await requestOutcome(store, requested.request, signal));
    },
  };
}

/** What ended is told to the log by whoever watches it, a moment later: the list should not say that it runs. */
async function untilTold(store: Store, process: string, signal: AbortSignal): Promise<void> {
  const row = await store.process(process);
  if (!row || row.status !== "running") return;
  const over = new AbortController();
  const wakes = store.watch(
    row.session,
    AbortSignal.any([signal, over.signal, AbortSignal.timeout(TOLD_MS)]),
  );
  for await (const _ of wakes) if ((await store.process(process))?.status !== "running") break;
  over.abort();
}

const TOLD_MS = 10_000;

function lineOf(row: ProcessRow, samples: ProcessSamples): ProcessLine {
  return { process: row.id, running: row.status === "running", words: wordsOf(row, samples) };
}

function wordsOf(row: ProcessRow, samples: ProcessSamples): string {
  const { id, command, status, startedAt, endedAt, exit, cause } = row;
  const shown = command.length > 200 ? `${command.slice(0, 200)}…` : command;
  if (status !== "running")
    return `${id}  ${status}${exit === null ? "" : ` with ${exit}`} (${cause}) at ${endedAt}  ${shown}`;
  const measured = samples.of(id);
  const ports = measured?.ports.length ? `, listens on ${measured.ports.join(", ")}` : "";
  const how = measured ? `${measured.class}: ${measured.why}${ports}` : "just begun";
  return `${id}  running since ${startedAt} (${how})  ${shown}`;
}
