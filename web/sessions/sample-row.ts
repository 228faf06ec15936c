// For tests: the row of a session in which nothing has happened, but for what a test says of it.
import type { SessionRow } from "../../src/protocol/http.ts";
import { START } from "../../src/session/position.ts";

export function sampleRow(id: string, given: Partial<SessionRow> = {}): SessionRow {
  return {
    id,
    title: id,
    profile: "default",
    workspace: null,
    lane: null,
    model: null,
    status: "idle",
    attention: null,
    unread: 0,
    messages: 0,
    queued: 0,
    position: START,
    createdAt: "2026-11-15T10:00:00.000Z",
    updatedAt: "2026-11-15T10:00:00.000Z",
    head: id,
    origin: null,
    pinned: false,
    archived: false,
    retryAt: null,
    processes: 0,
    usage: { inputTokens: 0, outputTokens: 0, cost: 0, unpricedTokens: 0 },
    ...given,
  };
}
