// What a server costs that nobody uses, and how long a restart keeps people waiting, on a store that has seen some years.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { SHORT_TEXTS } from "./executor-facts.ts";
import { fillSessions } from "./fill.ts";
import { weigh, type Row } from "./measure.ts";
import { openSqlite } from "./open-store.ts";
import { serve } from "./served.ts";
import { send } from "./wire.ts";

const SESSIONS = 10_000;
const FACTS_EACH = 100;
const STARTS = 5;
const IDLES = 3;
const IDLE_MS = 5_000;

export const start: Row = {
  name: "start",
  title: `start and idle memory, SQLite with ${SESSIONS.toLocaleString("en-US")} sessions and 1,000,000 events`,
  reading:
    "Figures of their own, not ratios: from the spawn of `holdfast serve` until /readyz says yes, and resident memory.",
  async measure(run) {
    const home = await run.folder();
    run.say("filling a store with 1,000,000 events");
    {
      await using filling = new AsyncDisposableStack();
      const store = await openSqlite(filling, join(home, "holdfast.db"));
      await fillSessions(store, SESSIONS, FACTS_EACH, SHORT_TEXTS);
    }
    const readyMs: number[] = [];
    const memoryMb: number[] = [];
    for (let n = 0; n <= STARTS; n++) {
      await using life = new AsyncDisposableStack();
      const served = await serve(life, { home });
      if (n > 0) readyMs.push(served.readyMs); // the first start may compile
      if (n <= STARTS - IDLES) continue;
      await send(served, "GET", "/login");
      await delay(IDLE_MS);
      memoryMb.push(await residentMb(home));
    }
    return [
      weigh({ what: "start to ready", unit: "ms", target: { atMost: 1000 }, ours: readyMs }),
      weigh({
        what: `resident memory, idle for ${IDLE_MS / 1000} s after a page load`,
        unit: "MB",
        target: { atMost: 100 },
        ours: memoryMb,
      }),
    ];
  },
};

/** Of the process that says it serves this home: whoever answered at the port might have been another. */
async function residentMb(home: string): Promise<number> {
  const { pid } = JSON.parse(await readFile(join(home, "server.json"), "utf8")) as { pid: number };
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=,args=", "-p", String(pid)]);
  const [, kib, command = ""] = /^\s*(\d+)\s+(.*)/.exec(stdout) ?? [];
  if (!command.includes("launch.cjs")) throw new Error(`process ${pid} is no server: ${stdout}`);
  return (Number(kib) * 1024) / 1e6;
}
