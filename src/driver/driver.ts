// The seam to whatever performs a step. A driver owns the wire and nothing else: no retries, no tools, no loop, no
// store. A model's failure is data, not an exception.
import type { LongText, Piece, Usage } from "../session/event.ts";

export interface Driver {
  /** Loads what a step of this model needs, which else its first step does. */
  prepare?(model: string): Promise<void>;
  /** Resolves always: completed, failed with its class, or stopped by the signal. */
  step(request: StepRequest, said: (delta: Delta) => void, signal: AbortSignal): Promise<StepResult>;
}

export type StepRequest = {
  /** `<provider>/<model>` as in the configuration. */
  model: string;
  /** Unique in the session. Its calls are named after it (`<step>-<piece>`): providers use their own ids twice. */
  step: string;
  instructions: string;
  context: readonly ContextMessage[];
  tools: readonly ToolSpec[];
  /** For the provider's cache and abuse detection; no secret. */
  session: string;
};

/** What the model is told, in order. A call is always followed by its result before the next message. */
export type ContextMessage =
  | { role: "person"; text: string; files: readonly ContextFile[] }
  | { role: "agent"; pieces: readonly WholePiece[] }
  | {
      role: "tool";
      call: string;
      name: string;
      status: "ok" | "error" | "denied" | "unknown" | "stopped";
      result: string;
    };

/** A piece whose text is all there: a driver can't read blobs. */
export type WholePiece = Whole<Piece>;
type Whole<P> = P extends { text: LongText } ? Omit<P, "text"> & { text: string } : P;

export type ContextFile = { name: string; type: string; bytes: Uint8Array };

export type ToolSpec = { name: string; description: string; parameters: Record<string, unknown> };

/**
 * A stretch of the piece with this number in the message-to-be; its text is never empty. `name` is the tool's, with the
 * first stretch of a call's arguments.
 */
export type Delta = { piece: number; kind: "text" | "reasoning" | "args"; text: string; name?: string };

export type StepResult =
  | { outcome: "completed"; message: WholePiece[]; usage: Usage | null; finish: Finish }
  | { outcome: "failed"; fault: ProviderFault }
  | { outcome: "stopped" };

export type Finish = "stop" | "tools" | "length" | "filter" | "other";

export type ProviderFault = {
  /** The first five pass by themselves; the rest need a person, or a shorter context. */
  class:
    | "network"
    | "rate_limit"
    | "overloaded"
    | "cut"
    | "silent"
    | "auth"
    | "unknown_model"
    | "context_too_long"
    | "refused"
    | "protocol";
  message: string;
  details?: string;
  retryAfterMs?: number;
};

/** Arguments that are no JSON object, as the model wrote them. The call ends as an error, and the model sees both. */
export function brokenArgs(text: string): { broken_json: string } {
  return { broken_json: text };
}

/** What the model wrote, when it was no JSON object. */
export function brokenText(args: unknown): string | undefined {
  if (typeof args !== "object" || args === null || Object.keys(args).length !== 1) return undefined;
  const { broken_json: text } = args as { broken_json?: unknown };
  return typeof text === "string" ? text : undefined;
}
