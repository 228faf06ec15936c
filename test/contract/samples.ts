// What contract tests write: short names for the facts they need, and the ways to read everything back.
import { expect } from "vitest";
import type { AnyEvent, By, LongText, NewDraft, NewEvent, NewFact } from "../../src/session/event.ts";
import { formatPosition, START, type Position } from "../../src/session/position.ts";
import type { Appended, Lease, LogId, SessionRow, Store, Writer } from "../../src/store/store.ts";

export const OWNER = "owner";
export const owner: By = { person: OWNER };
export const anna: By = { person: "anna" };
export const byOwner: Writer = { by: "client", author: owner };
export const byAnna: Writer = { by: "client", author: anna };

export const LEASE_MS = 15_000;

export function notice(text: string): NewFact {
  return { type: "notice", data: { level: "info", text } };
}

export function prompt(input: string, text: LongText = "do it"): NewFact {
  return { type: "input_admitted", data: { input, kind: "prompt", text } };
}

export function delivered(input: string, turn: string): NewFact {
  return { type: "input_delivered", data: { input, turn, from: formatPosition(2, 0) } };
}

export function stepStarted(step: string, attempt = 1): NewFact {
  return { type: "step_started", data: { turn: "turn_1", step, attempt, model: "demo" } };
}

export function stepCompleted(step: string, text: string, attempt = 1): NewFact {
  return { type: "step_completed", data: { step, attempt, message: [{ type: "text", text }] } };
}

export function toolFinished(call: string, result: LongText): NewFact {
  return { type: "tool_finished", data: { call, status: "ok", result } };
}

export function draft(part: string, offset: number, text: string): NewDraft {
  return { type: "draft", data: { part, kind: "text", offset, text } };
}

export function ended(successor?: string): NewFact {
  return {
    type: "session_ended",
    data: { reason: "reset", ...(successor === undefined ? {} : { successor }) },
  };
}

export async function makeSession(
  store: Store,
  id: string,
  about: Partial<Parameters<Store["createSession"]>[0]> = {},
): Promise<SessionRow> {
  const created = await store.createSession({ id, profile: "default", ...about }, owner);
  if (!created.ok) throw new Error(`session ${id} was not made: ${created.code}`);
  return created.session;
}

export async function claim(store: Store, log: LogId, ttlMs = LEASE_MS): Promise<Lease> {
  const claimed = await store.claimLease(log, ttlMs);
  if (!claimed.ok) throw new Error(`no lease for ${log}: ${claimed.code}`);
  return claimed.lease;
}

/** The position of an append that must not be refused. */
export async function appended(append: Promise<Appended>): Promise<Position> {
  const result = await append;
  if (!result.ok) throw new Error(`refused: ${result.code}`);
  return result.position;
}

export async function write(store: Store, log: LogId, ...events: NewEvent[]): Promise<Position> {
  return appended(store.append(log, events, byOwner));
}

/** Everything in a log, by the pages that a reader on a wire gets. */
export async function readAll(store: Store, log: LogId, maxBytes = 1_000_000): Promise<AnyEvent[]> {
  const events: AnyEvent[] = [];
  let after: Position = START;
  while (true) {
    const page = await store.page(log, after, maxBytes);
    const read = JSON.parse(`[${page.bytes.toString()}]`) as AnyEvent[];
    expect(read).toHaveLength(page.count);
    events.push(...read);
    after = page.last;
    if (page.upToDate) return events;
    expect(page.count).toBeGreaterThan(0);
  }
}

export function positions(events: readonly AnyEvent[]): Position[] {
  return events.map(({ position }) => position);
}

/** The last row of a session, as this person sees it. */
export async function row(store: Store, id: string, person = OWNER): Promise<SessionRow> {
  const found = await store.session(id, person);
  if (!found) throw new Error(`there is no session ${id}`);
  return found;
}
