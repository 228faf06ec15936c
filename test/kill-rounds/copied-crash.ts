// What a crash left behind, once more: home, workspace and database of a killed server, for another to recover from.
import { cp, mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import type { AnyEvent } from "../../src/session/event.ts";
import type { AgentServer } from "../agent-server.ts";
import { createDatabase, type Database } from "../postgres.ts";
import { facts } from "../seen-facts.ts";

export type CopiedCrash = { home: string; workspace: string; database: Database | undefined };

const PATIENCE_MS = 30_000;

export async function copyCrash({ home, workspace, databaseUrl }: AgentServer): Promise<CopiedCrash> {
  await until("the last of its commands has ended", async () => !(await isMentioned(home)));
  const copies = await Promise.all(
    [home, workspace].map(async (folder) => {
      const copy = await mkdtemp(join(tmpdir(), "holdfast-copy-"));
      await cp(folder, copy, { recursive: true, verbatimSymlinks: true });
      return copy;
    }),
  );
  let database: Database | undefined;
  if (databaseUrl !== undefined)
    await until("the database lets go of whoever died", async () => {
      database = await createDatabase(inject("postgresUrl"), databaseUrl).catch(() => undefined);
      return database !== undefined;
    });
  return { home: copies[0]!, workspace: copies[1]!, database };
}

/** Without what differs between any two servers: their places, the names they draw, what commands say of themselves. */
export function comparable(log: readonly AnyEvent[], workspace: string): unknown[] {
  return facts(log).map(({ position, type, data }) => {
    const text = JSON.stringify(data)
      .replaceAll(workspace, "<workspace>")
      .replaceAll(/said \d+\.\d+/g, "said <token>")
      .replaceAll(/"digest":"\w+"/g, '"digest":"<of its directory too>"')
      .replaceAll(/ask_\w+/g, "<ask>");
    return [position, type, JSON.parse(text)];
  });
}

/** By any process of this machine: the helper that starts commands, a shim, or what runs under one. */
async function isMentioned(home: string): Promise<boolean> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const read = (pid: string, file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => ""); // it has ended
  const texts = await Promise.all(pids.flatMap((pid) => [read(pid, "cmdline"), read(pid, "environ")]));
  return texts.some((text) => text.includes(home));
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error(`waited too long: ${what}`);
    await delay(10);
  }
}
