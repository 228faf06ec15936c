// The model and its provider: it speaks in its time, and fails as the seed has it.
import type {
  ContextMessage,
  Delta,
  Driver,
  StepRequest,
  StepResult,
  WholePiece,
} from "../../src/driver/driver.ts";
import { drawTrouble, type Rates } from "./faults.ts";
import type { Ledger } from "./ledger.ts";
import { nextCalls } from "./program.ts";
import type { Reached } from "./reached.ts";
import type { Life, World } from "./world.ts";

const SILENCE_MS = 60_000;
/** To its first word. A summary, for which it is given no tools, takes longer: long enough for its executor to die. */
const THINKS_MS = { step: { least: 50, most: 1_500 }, summary: { least: 2_000, most: 20_000 } };

export type ModelWorld = { world: World; rates: () => Rates; reached: Reached; ledger: Ledger };

export function modelLink({ world, rates, reached, ledger }: ModelWorld, life: Life): Driver {
  const { chance } = world;
  return {
    step(request, said, signal) {
      const fault = pairingFault(request.context);
      if (fault !== undefined)
        world.fail(new Error(`${request.session} ${request.step}: the model was told ${fault}`));
      const message = answerTo(request);
      const trouble = chance.happens(rates().provider) ? drawTrouble(chance) : undefined;
      return new Promise<StepResult>((resolve) => {
        const coming: (() => void)[] = [];
        const { least, most } = THINKS_MS[request.tools.length > 0 ? "step" : "summary"];
        let ms = chance.between(least, most);
        const deltas = message.flatMap(deltasOf);
        const spoken = trouble ? Math.floor(trouble.says * deltas.length) : deltas.length;
        for (const delta of deltas.slice(0, spoken)) {
          coming.push(world.after(ms, life, `the model says ${delta.kind}`, () => said(delta)));
          ms += chance.between(5, 300);
        }
        const end = (what: string, result: StepResult) => {
          for (const cancel of coming) cancel();
          signal.removeEventListener("abort", stop);
          world.soon(life, what, () => resolve(result));
        };
        const stop = () => end("the model is stopped", { outcome: "stopped" });
        if (signal.aborted) return stop();
        signal.addEventListener("abort", stop, { once: true });
        if (trouble?.trouble === "hang") {
          reached.note("a provider hung");
          const fault = { class: "silent" as const, message: "it said nothing for too long" };
          coming.push(
            world.after(ms + SILENCE_MS, life, "the model is silent", () =>
              end("the model is given up", { outcome: "failed", fault }),
            ),
          );
        } else if (trouble) {
          const fault = trouble.trouble;
          coming.push(
            world.after(ms, life, "the provider fails", () =>
              end(`the provider failed: ${fault.class}`, { outcome: "failed", fault }),
            ),
          );
        } else
          coming.push(
            world.after(ms, life, "the model ends", () => {
              ledger.answered(request.session, request.step, message);
              const usage = { inputTokens: request.context.length, outputTokens: deltas.length };
              end("the model has answered", { outcome: "completed", message, usage, finish: "stop" });
            }),
          );
      });
    },
  };
}

function answerTo({ context, step }: StepRequest): WholePiece[] {
  const calls = nextCalls(context);
  const text = calls.length > 0 ? `After ${context.length} messages I use some tools.` : "That is all.";
  return [
    { type: "text", text },
    ...calls.map(({ tool, args }, n): WholePiece => ({
      type: "call",
      call: `${step}-${n + 1}`,
      name: tool,
      args,
    })),
  ];
}

function deltasOf(piece: WholePiece, n: number): Delta[] {
  if (piece.type === "text") {
    return piece.text.split(/(?<= )/).map((text) => ({ piece: n, kind: "text", text }));
  }
  if (piece.type !== "call") return [];
  return [{ piece: n, kind: "args" as const, text: JSON.stringify(piece.args), name: piece.name }];
}

/** A call is followed by its one result before anything else is said. */
function pairingFault(context: readonly ContextMessage[]): string | undefined {
  let open = new Set<string>();
  for (const message of context) {
    if (message.role === "tool") {
      if (!open.delete(message.call)) return `a result of ${message.call}, which is not open`;
      continue;
    }
    if (open.size > 0) return `of a call without its result: ${[...open].join(", ")}`;
    if (message.role === "agent")
      open = new Set(message.pieces.flatMap((piece) => (piece.type === "call" ? [piece.call] : [])));
  }
  return open.size > 0 ? `of a call without its result: ${[...open].join(", ")}` : undefined;
}
