// The one socket of a tab: what is said on it, both ways.
import { z } from "zod";
import type { AnyEvent } from "../session/event.ts";
import type { Position } from "../session/position.ts";
import type { View } from "../session/view.ts";
import { PositionText, type Ask, type SessionRow } from "./http.ts";
import type { ProblemCode } from "./problem.ts";

/** `store` says of which store `after` is a position; another store's is answered with a resync. */
export const ClientFrame = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("attach"),
    session: z.string(),
    after: PositionText.optional(),
    store: z.string().optional(),
  }),
  z.strictObject({ op: z.literal("leave"), session: z.string() }),
  z.strictObject({ op: z.literal("watch"), topic: z.enum(["sessions", "asks"]) }),
]);
export type ClientFrame = z.infer<typeof ClientFrame>;

export type TopicName = Extract<ClientFrame, { op: "watch" }>["topic"];

export type Missed = { messages: number; tools: number; asks: number };

export type ResyncReason = "first" | "overflow" | "ahead" | "other_store" | "far_behind";

export type ServerFrame =
  | { op: "hello"; store: string; version: string; person: string; heartbeatMs: number }
  | { op: "events"; session: string; events: AnyEvent[] }
  | { op: "caught_up"; session: string; position: Position; missed: Missed }
  | { op: "resync"; session: string; view: View; reason: ResyncReason }
  /** The session's log is over: nothing more will come. */
  | { op: "closed"; session: string; position: Position }
  | { op: "rows"; topic: "sessions"; rows: SessionRow[]; gone?: string[]; whole: boolean }
  /** Those that are open; one that was answered or withdrawn is gone. */
  | { op: "rows"; topic: "asks"; rows: Ask[]; gone?: string[]; whole: boolean }
  | { op: "error"; code: ProblemCode; detail: string; session?: string }
  | { op: "ping" };

export * from "./close.ts";
