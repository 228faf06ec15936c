// For tests: a model that says what it is told to, step by step, with real deltas.
import type { Driver, Finish, StepRequest, StepResult, WholePiece } from "../driver/driver.ts";

export type Line =
  | string // a text, in three deltas
  | { call: string; args: unknown; text?: string }
  | { calls: { call: string; args: unknown }[]; text?: string; finish?: Finish }
  | { fault: Extract<StepResult, { outcome: "failed" }>["fault"]; after?: string } // which it says before
  /** Says this much, then nothing until it is stopped. */
  | { hangs: string };

/** What to say next, from what the model was told so far: a pure function, so that it says the same after a crash. */
export type Script = (request: StepRequest) => Line;

export function scriptedDriver(script: Script): Driver & { requests: StepRequest[] } {
  const requests: StepRequest[] = [];
  return {
    requests,
    async step(request, said, signal) {
      requests.push(request);
      const line = script(request);
      if (typeof line === "object" && "fault" in line) {
        if (line.after !== undefined) said({ piece: 0, kind: "text", text: line.after });
        return { outcome: "failed", fault: line.fault };
      }
      if (typeof line === "object" && "hangs" in line) {
        said({ piece: 0, kind: "text", text: line.hangs });
        await new Promise<void>((resolve) =>
          signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true }),
        );
        return { outcome: "stopped" };
      }
      const message = piecesOf(request, line);
      for (const [piece, { type, ...rest }] of message.entries())
        if (type === "text")
          for (const text of thirds((rest as { text: string }).text)) said({ piece, kind: "text", text });
      if (signal.aborted) return { outcome: "stopped" };
      const finish = typeof line === "object" && "finish" in line ? line.finish : undefined;
      const usage = { inputTokens: 10, outputTokens: 5 };
      return { outcome: "completed", message, usage, finish: finish ?? "stop" };
    },
  };
}

function piecesOf(
  { step }: StepRequest,
  line: Exclude<Line, { fault: unknown } | { hangs: string }>,
): WholePiece[] {
  if (typeof line === "string") return [{ type: "text", text: line }];
  const text: WholePiece[] =
    "text" in line && line.text !== undefined ? [{ type: "text", text: line.text }] : [];
  const calls = "calls" in line ? line.calls : [line];
  return [
    ...text,
    ...calls.map(({ call, args }, n): WholePiece => ({
      type: "call",
      call: `${step}-${text.length + n}`,
      name: call,
      args,
    })),
  ];
}

function thirds(text: string): string[] {
  const third = Math.ceil(text.length / 3);
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)].filter(
    (part) => part !== "",
  );
}
