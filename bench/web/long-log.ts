// A log as long work leaves it: turns of an input, a step with a tool call, an answer in Markdown, and the turn's end.
import type { NewEvent } from "../../src/session/event.ts";
import { formatPosition } from "../../src/session/position.ts";
import { executorEvents, take } from "../executor-facts.ts";

/** Rows of the transcript that a turn makes. */
const MESSAGES_EACH = 4;

/** All events after the session's first, which stands at position 1. */
export function longLog(messages: number): NewEvent[] {
  const words = proseFrom("long");
  const events: NewEvent[] = [];
  for (let n = 0; n < messages / MESSAGES_EACH; n++) events.push(...turn(n, events.length + 2, words));
  return events;
}

/** Markdown on its way, in so many pieces. */
export function streamedText(pieces: number): string[] {
  const words = proseFrom("stream");
  return Array.from({ length: pieces }, (_, n) => {
    const piece = words(24).slice(0, 24);
    if (n % 90 === 89) return `${piece}\n\n\`\`\`ts\nconst n = ${n};\n\`\`\`\n\n`;
    return n % 30 === 29 ? `${piece}\n\n- **${n}** ` : piece;
  });
}

function turn(n: number, at: number, words: (chars: number) => string): NewEvent[] {
  const turn = `turn_${n}`;
  const input = `inp_${n}`;
  const [look, answer] = [`step_${n}a`, `step_${n}b`];
  const call = `call_${n}`;
  const args = { command: `grep -rn ${words(12)} src`, purpose: words(30) };
  const usage = { inputTokens: 4200, outputTokens: 180 };
  const started = { turn, attempt: 1, model: "local/qwen3" };
  return [
    { type: "input_admitted", data: { input, kind: "prompt", text: `${n}: ${words(40 + (n % 5) * 60)}` } },
    { type: "turn_started", data: { turn, inputs: [input] } },
    { type: "input_delivered", data: { input, turn, from: formatPosition(at, 0) } },
    { type: "step_started", data: { ...started, step: look } },
    {
      type: "step_completed",
      data: {
        step: look,
        attempt: 1,
        message: [
          { type: "text", text: words(60) },
          { type: "call", call, name: "shell", args },
        ],
        usage,
      },
    },
    { type: "tool_proposed", data: { step: look, call, name: "shell", args, effect: "read" } },
    { type: "tool_started", data: { call } },
    { type: "tool_finished", data: { call, status: "ok", result: words(400), exit: 0 } },
    { type: "step_started", data: { ...started, step: answer } },
    {
      type: "step_completed",
      data: { step: answer, attempt: 1, message: [{ type: "text", text: markdown(n, words) }], usage },
    },
    { type: "turn_ended", data: { turn, outcome: "completed", usage } },
  ];
}

function markdown(n: number, words: (chars: number) => string): string {
  const code = `\`\`\`ts\nexport function f${n}(value: number): string {\n  return \`${words(30)}\`;\n}\n\`\`\``;
  const list = `- **${words(10)}**: ${words(60)}\n- \`${words(8)}\` ${words(50)}`;
  return [`Turn ${n} is done. ${words(150 + (n % 4) * 100)}`, ...(n % 3 === 0 ? [code] : [list])].join(
    "\n\n",
  );
}

/** Prose as the other rows of the bench have it. */
function proseFrom(writer: string): (chars: number) => string {
  const chars = 40_000;
  const said = take(1000, executorEvents(writer, { messageChars: chars, resultChars: 10 })).find(
    ({ type }) => type === "step_completed",
  );
  const piece = said?.type === "step_completed" ? said.data.message[0] : undefined;
  if (piece?.type !== "text" || typeof piece.text !== "string")
    throw new Error("a step begins with its text");
  const source = piece.text;
  let at = 0;
  return (wanted) => {
    at = (at + wanted) % (chars - 1000);
    return source.slice(at, at + wanted).trim();
  };
}
