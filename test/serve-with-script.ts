// For tests and pictures of the page: a real store and the real server in one process that also plays the executor. It
// does what it is told on stdin, a line of JSON for each command, and answers each with a line.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readSettings } from "../src/config/settings.ts";
import { openStore } from "../src/open-store.ts";
import { makeLog } from "../src/server/log.ts";
import type { ProfileInfo } from "../src/protocol/http.ts";
import type { Measured } from "../src/server/process-rows.ts";
import type { KnownAgents } from "../src/server/profiles.ts";
import { startServer, type RunningServer } from "../src/server/server.ts";
import { makeIds } from "../src/session/ids.ts";
import type { NewEvent } from "../src/session/event.ts";
import type { Position } from "../src/session/position.ts";
import type { Lease, Writer } from "../src/store/store.ts";

export type ScriptCommand =
  /** Only now does anyone reach it: what is appended before happened while nobody could look. */
  | { op: "listen" }
  | { op: "create"; title: string }
  | { op: "append"; session: string; by: "owner" | "executor"; events: NewEvent[] }
  | { op: "see"; session: string; position: Position }
  /** From here on it is so much earlier than it is. */
  | { op: "clock"; behindMs: number }
  /** Until the next "clock" it is this moment, to the millisecond. */
  | { op: "stand"; at: number }
  /** Which agents there are said to be, and how the processes of their sessions are doing. */
  | { op: "agents"; agents: ScriptedAgents };

export type ScriptedAgents = {
  profiles: ProfileInfo[];
  /** By process. */
  processes: Record<string, Measured & { output: string }>;
};

export type ScriptAnswer = { ok: true; session?: string; position?: Position } | { ok: false; error: string };

const LEASE_MS = 3600_000;
const read = readSettings(process.env);
if (!read.ok) throw new Error(read.faults);
const { settings } = read;

let behindMs = 0;
let standsAt: number | undefined;
const now = () => standsAt ?? Date.now() - behindMs;
const ids = makeIds(now, randomBytes);
const store = await openStore(settings, { node: ids.next("nod"), host: hostname(), clock: now, ids });
const leases = new Map<string, Lease>();
let server: RunningServer | undefined;
let agents: KnownAgents | undefined;

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await carryOut(JSON.parse(line) as ScriptCommand).catch((error: unknown): ScriptAnswer => ({
    ok: false,
    error: String(error),
  }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await server?.close();
await store.close();

async function carryOut(command: ScriptCommand): Promise<ScriptAnswer> {
  switch (command.op) {
    case "listen":
      server = await startServer({
        store,
        version: "test",
        host: settings.host,
        port: settings.port,
        token: settings.token,
        webFolder: fileURLToPath(new URL("../web-dist", import.meta.url)),
        backupFolder: join(settings.home, "backup"),
        log: makeLog("warn", process.stderr),
        now,
        randomBytes,
        ...(agents && { agents: () => agents }),
      });
      return { ok: true };
    case "create": {
      const session = ids.next("ses");
      const created = await store.createSession(
        { id: session, profile: "default", title: command.title },
        { person: "owner" },
      );
      return created.ok ? { ok: true, session } : { ok: false, error: created.code };
    }
    case "append": {
      const { session, events, by } = command;
      const writer: Writer =
        by === "owner"
          ? { by: "client", author: { person: "owner" } }
          : { by: "executor", lease: await lease(session) };
      const appended = await store.append(session, events, writer);
      return appended.ok ? { ok: true, position: appended.position } : { ok: false, error: appended.code };
    }
    case "see": {
      const seen = await store.setSeen("owner", command.session, command.position);
      return seen.ok ? { ok: true } : { ok: false, error: seen.code };
    }
    case "clock":
      behindMs = command.behindMs;
      standsAt = undefined;
      return { ok: true };
    case "stand":
      standsAt = command.at;
      return { ok: true };
    case "agents":
      agents = knownAgents(command.agents);
      return { ok: true };
  }
}

function knownAgents({ profiles, processes }: ScriptedAgents): KnownAgents {
  return {
    profiles,
    modelFault: () => undefined,
    processes: {
      host: hostname(),
      measured: (process) => processes[process],
      hasLeft: () => Promise.resolve(false),
      output(process, from, limit) {
        const output = Buffer.from(processes[process]?.output ?? "");
        const part = output.subarray(from, from + limit);
        const next = from + part.length;
        return Promise.resolve({ text: part.toString("utf8"), from, next, bytes: output.length });
      },
    },
  };
}

async function lease(session: string): Promise<Lease> {
  // As an executor takes up what has input: then the session, and each process of it, belongs to this host. Which one it is
  // given is the store's choice.
  while (agents && !leases.has(session)) {
    const claim = await store.claimSession(LEASE_MS);
    if (!claim) break;
    leases.set(claim.lease.log, claim.lease);
  }
  const held = leases.get(session);
  if (held) return held;
  const claimed = await store.claimLease(session, LEASE_MS);
  if (!claimed.ok) throw new Error(`the lease of ${session} is not to be had: ${claimed.code}`);
  leases.set(session, claimed.lease);
  return claimed.lease;
}
