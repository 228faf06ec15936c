// What an executor writes while an agent works, in about the sizes that agents have: per step ten events, of which five
// are drafts and two go into the search index. Real executors write more drafts to a fact, so this mix is the dearer one.
import type { NewEvent } from "../src/session/event.ts";

export type Sizes = { messageChars: number; resultChars: number };
const USUAL: Sizes = { messageChars: 600, resultChars: 400 };
/** For logs of a million, where their number is what matters. */
export const SHORT_TEXTS: Sizes = { messageChars: 60, resultChars: 40 };
const DRAFT_CHARS = 150;

/** Steps without end; `writer` makes ids that no other writer has. */
export function* executorEvents(writer: string, sizes = USUAL): Generator<NewEvent, never> {
  const prose = makeProse(writer);
  for (let n = 1; ; n++) yield* step(`${writer}-${n}`, prose, sizes);
}

/** The same without drafts: what stays in a log. */
export function* executorFacts(writer: string, sizes = USUAL): Generator<NewEvent, never> {
  for (const event of executorEvents(writer, sizes)) if (event.type !== "draft") yield event;
  throw new Error("steps have no end");
}

export function take<T>(count: number, from: Iterator<T>): T[] {
  return Array.from({ length: count }, () => from.next().value as T); // from a generator that never ends
}

function* step(step: string, prose: (chars: number) => string, sizes: Sizes): Generator<NewEvent> {
  const call = `call_${step}`;
  const text = prose(sizes.messageChars);
  const result = prose(sizes.resultChars);
  const args = { path: `src/${step}.ts`, offset: 0, limit: 200 };

  yield { type: "step_started", data: { turn: `turn_${step}`, step, attempt: 1, model: "local/qwen3" } };
  for (let offset = 0; offset < text.length; offset += DRAFT_CHARS)
    yield {
      type: "draft",
      data: { part: `${step}.1/0`, kind: "text", offset, text: text.slice(offset, offset + DRAFT_CHARS) },
    };
  yield {
    type: "step_completed",
    data: {
      step,
      attempt: 1,
      message: [
        { type: "text", text },
        { type: "call", call, name: "read", args },
      ],
      usage: { inputTokens: 4200, outputTokens: 180 },
    },
  };
  yield { type: "tool_proposed", data: { step, call, name: "read", args, effect: "read" } };
  yield { type: "tool_started", data: { call } };
  yield { type: "draft", data: { part: `${call}/0`, kind: "output", offset: 0, text: result } };
  yield { type: "tool_finished", data: { call, status: "ok", result } };
}

/** Words in about the frequencies of language: few are everywhere, many are rare, some are seen once. */
function makeProse(seed: string): (chars: number) => string {
  let state = Array.from(seed).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7);
  const chance = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const word = () => {
    const rank = Math.floor(chance() ** 4 * VOCABULARY);
    return COMMON[rank] ?? `${COMMON[rank % COMMON.length]}${rank}`;
  };
  return (chars) => {
    let text = word();
    while (text.length < chars) text += ` ${word()}`;
    return text.slice(0, chars);
  };
}

const VOCABULARY = 20_000;
const COMMON =
  "the a to of and in is that for it with on as this be from by not or are file error line test function value type import return string number read write call run build log path name module server session step tool result check change index table row key".split(
    " ",
  );
