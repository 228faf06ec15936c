// Where in the script we are, read off the context: which message began the scene, how many steps of it were said, and
// what came of the last one.
import type { ContextMessage, StepRequest } from "../../driver.ts";

export type Result = Extract<ContextMessage, { role: "tool" }>;

export type Moment = {
  /** What began the scene. */
  prompt: string;
  /** Steps of it that were said already. */
  step: number;
  /** Of the last step. */
  results: readonly Result[];
  /** What a person said since, while we were at work. */
  steers: readonly string[];
  tools: ReadonlySet<string>;
  /** Everything that was asked before, oldest first. */
  earlier: readonly string[];
};

export function momentOf({ context, tools }: Pick<StepRequest, "context" | "tools">): Moment {
  const began = context.findLastIndex((message, at) => message.role === "person" && !isSteer(context, at));
  const scene = context.slice(began + 1);
  const last = scene.findLastIndex(({ role }) => role === "agent");
  const since = scene.slice(last + 1);
  return {
    prompt: textOf(context[began]),
    step: scene.filter(({ role }) => role === "agent").length,
    results: since.filter((message): message is Result => message.role === "tool"),
    steers: since.filter(({ role }) => role === "person").map(textOf),
    tools: new Set(tools.map(({ name }) => name)),
    earlier: context
      .slice(0, Math.max(0, began))
      .filter(({ role }) => role === "person")
      .map(textOf),
  };
}

/** Said after a tool's result, it came while we were at work; but a tool that was stopped ended that work. */
function isSteer(context: readonly ContextMessage[], at: number): boolean {
  const before = context.slice(0, at).findLast(({ role }) => role !== "person");
  return before?.role === "tool" && before.status !== "stopped";
}

function textOf(message: ContextMessage | undefined): string {
  return message?.role === "person" ? message.text.trim() : "";
}
