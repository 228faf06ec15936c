// The one socket of a tab: what is said on it, both ways.
import { z } from "zod";
import type { AnyEvent } from "../session/event.ts";
import type { Position } from "../session/position.ts";
import type { View } from "../session/view.ts";
import { PositionText, type Ask, type Process, type SessionRow } from "./http.ts";
import type { ProblemCode } from "./problem.ts";

/** `store` says of which store `after` is a position; another store's is answered with a resync. */
export const SessionFrame = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("attach"),
    session: z.string(),
    after: PositionText.optional(),
    store: z.string().optional(),
  }),
  z.strictObject({ op: z.literal("leave"), session: z.string() }),
  z.strictObject({ op: z.literal("watch"), topic: z.enum(["sessions", "asks", "processes"]) }),
]);
/** `after` counts bytes of what the process has said. */
export const ProcessFrame = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("attach"), process: z.string(), after: z.int().min(0).optional() }),
  z.strictObject({ op: z.literal("leave"), process: z.string() }),
]);
export type SessionFrame = z.infer<typeof SessionFrame>;
export type ProcessFrame = z.infer<typeof ProcessFrame>;
export type ClientFrame = SessionFrame | ProcessFrame;

export type TopicName = Extract<SessionFrame, { op: "watch" }>["topic"];

/** Of messages and tools those that came; of asks those that are open. */
export type Missed = { messages: number; tools: number; asks: number };

export type ResyncReason = "first" | "overflow" | "ahead" | "other_store" | "far_behind";

export type ServerFrame =
  | { op: "hello"; store: string; version: string; person: string; heartbeatMs: number }
  | { op: "events"; session: string; events: AnyEvent[] }
  /** `missed` came after `since`: the position that the client gave, else how far its person has read. */
  | { op: "caught_up"; session: string; position: Position; missed: Missed; since: Position }
  | { op: "resync"; session: string; view: View; reason: ResyncReason }
  /** The session's log is over: nothing more will come. */
  | { op: "closed"; session: string; position: Position }
  | { op: "rows"; topic: "sessions"; rows: SessionRow[]; gone?: string[]; whole: boolean }
  /** Those that are open; one that was answered or withdrawn is gone. */
  | { op: "rows"; topic: "asks"; rows: Ask[]; gone?: string[]; whole: boolean }
  /** Those that run; one that is over is gone. */
  | { op: "rows"; topic: "processes"; rows: Process[]; gone?: string[]; whole: boolean }
  /** `over`: it has ended, and this was the last of it. */
  | { op: "output"; process: string; from: number; next: number; text: string; over: boolean }
  | { op: "error"; code: ProblemCode; detail: string; session?: string; process?: string }
  | { op: "ping" };

export * from "./close.ts";
