// What people ask for and what the model makes of it. A prompt is a program, step by step; the model goes by what it
// is told and nothing else, so that it says the same to whoever asks it again.
import type { ContextMessage } from "../../src/driver/driver.ts";
import type { Chance } from "./chance.ts";
import { commandText } from "./process-table.ts";

export type CallItem = { tool: string; args: unknown };
/** The calls of each step; after the last the model speaks and is done. */
export type Program = CallItem[][];

const MARK = "do ";
/** As good as for ever: somebody has to end it. */
const SERVICE_MS = 365 * 24 * 3600_000;

export function promptText(program: Program): string {
  return MARK + JSON.stringify(program);
}

export function isService(command: string): boolean {
  return command.startsWith(`work ${SERVICE_MS} `);
}

export function nextCalls(context: readonly ContextMessage[]): CallItem[] {
  const at = context.findLastIndex((message) => message.role === "person" && message.text.startsWith(MARK));
  const prompt = context[at];
  if (prompt?.role !== "person") return [];
  const program = JSON.parse(prompt.text.slice(MARK.length)) as Program; // promptText's own writing
  const done = context.slice(at).filter(({ role }) => role === "agent").length;
  return program[done] ?? [];
}

export function drawProgram(chance: Chance): Program {
  if (chance.happens(0.04)) return [[{ tool: "poison", args: {} }]];
  return Array.from({ length: chance.whole(0, 3) }, () =>
    Array.from({ length: chance.pick([1, 1, 1, 2, 3]) }, () => drawCall(chance)),
  );
}

function drawCall(chance: Chance): CallItem {
  const ms = chance.pick([200, 2_000, 20_000, 60_000]);
  // Few enough that the same comes again, as with a rule that was made for it.
  const command = commandText(ms, chance.pick([0, 0, 3]), chance.pick(["alpha", "beta"]));
  const of: (() => CallItem)[] = [
    () => ({ tool: "shell", args: { command } }),
    () => ({ tool: "shell", args: { command } }),
    () => ({ tool: "shell", args: { command, background: true } }),
    () => ({ tool: "shell", args: { command: commandText(SERVICE_MS, 0, "gamma"), background: true } }),
    () => ({ tool: "shell", args: { command, timeoutSeconds: 10 } }),
    () => ({ tool: "look", args: { ms: chance.pick([1, 50, 5_000]) } }),
    () => ({ tool: "put", args: { ms: chance.pick([1, 50, 5_000]) } }),
    () => ({ tool: "launch", args: { ms: chance.pick([1, 50, 5_000]) } }),
    () => delegation(chance),
    () => delegation(chance),
    () => ({ tool: "ask", args: { question: "Which one?", choices: ["red", "blue"] } }),
    () => ({ tool: chance.pick(["fly", "shell"]), args: { comand: "ls" } }),
  ];
  return chance.pick(of)();
}

function delegation(chance: Chance): CallItem {
  return {
    tool: "delegate",
    args: { prompt: promptText(drawProgram(chance)), background: chance.happens(0.4) },
  };
}
