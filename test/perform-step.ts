// One step of a driver with all that it said on the way.
import type { Delta, Driver, StepRequest, StepResult } from "../src/driver/driver.ts";

export type Performed = { result: StepResult; deltas: Delta[] };

export async function performStep(
  driver: Driver,
  request: Partial<StepRequest> & { model: string },
  signal: AbortSignal = new AbortController().signal,
  heard: (delta: Delta) => void = () => {},
): Promise<Performed> {
  const deltas: Delta[] = [];
  const result = await driver.step(
    {
      step: "s1",
      session: "ses_test",
      instructions: "",
      context: [{ role: "person", text: "hello", files: [] }],
      tools: [],
      ...request,
    },
    (delta) => {
      deltas.push(delta);
      heard(delta);
    },
    signal,
  );
  return { result, deltas };
}

/** What the deltas add up to, by the number of their piece. */
export function textsOf(deltas: readonly Delta[]): Record<number, string> {
  const texts: Record<number, string> = {};
  for (const { piece, text } of deltas) texts[piece] = (texts[piece] ?? "") + text;
  return texts;
}
