// What a stub model says, before it is put on a provider's wire.

/** One event of a stream, ready to be written; `token` says that it carries one. */
export type Frame = { text: string; token: boolean };

export type StubMessage = {
  reasoning?: string;
  /** Spoken word by word; or so many times of day in milliseconds, each taken as it is written. */
  text?: string | { stamps: number };
  calls?: StubCall[];
  /** As the provider writes it; null: it ends without one. The usual one unless it is given. */
  finish?: string | null;
  usage?: { input: number; output: number; cached?: number; reasoning?: number } | null;
  /** For wires that sign what was thought. */
  signature?: string;
};

/** `args` as an object, or as the very text that the model wrote. */
export type StubCall = { id?: string; name: string; args: Record<string, unknown> | string };

export const USUAL_USAGE: NonNullable<StubMessage["usage"]> = { input: 10, output: 5 };

export function sse(data: unknown, event?: string): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}

export function* tokensOf(text: StubMessage["text"]): Generator<string, void> {
  if (text === undefined) return;
  if (typeof text === "string") yield* tokensIn(text);
  else for (let n = 0; n < text.stamps; n++) yield `${performance.timeOrigin + performance.now()} `;
}

/** Found as they are said: to cut ten thousand words beforehand would be a pause of the model's before its first one. */
function* tokensIn(text: string): Generator<string, void> {
  if (text !== "" && text.trim() === "") yield text;
  for (const [token] of text.matchAll(/\s*\S+\s*/g)) yield token;
}

export function argsText({ args }: StubCall): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

/** Cut in pieces, as arguments come on every wire. */
export function argsTokens(call: StubCall): string[] {
  return argsText(call).match(/[^]{1,8}/g) ?? [];
}
