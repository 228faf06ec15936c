// A body of JSON lines, a line at a time, each of them small: what is not is refused by its number.
import type { z } from "zod";
import { refuse } from "./refusal.ts";

export type Line = { number: number; value: Record<string, unknown> };

const NEWLINE = 0x0a;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

export async function* bodyLines(
  pieces: AsyncIterable<Uint8Array>,
  lineMaxBytes: number,
): AsyncGenerator<Line, undefined> {
  let number = 1;
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      hold(piece.subarray(from, end));
      from = end + 1;
      if (size > 0) yield* taken();
      else number += 1; // a body of nothing else has as many lines as bytes
    }
    hold(piece.subarray(from));
  }
  yield* taken();

  function hold(part: Uint8Array): void {
    size += part.byteLength;
    if (size > lineMaxBytes) refuseLine(number, `has more than ${lineMaxBytes} bytes`);
    if (part.byteLength > 0) held.push(part);
  }

  function* taken(): Generator<Line> {
    const bytes = Buffer.concat(held);
    held = [];
    size = 0;
    const value = parsed(bytes, number);
    if (value) yield { number, value };
    number += 1;
  }
}

export function refuseLine(number: number, fault: string, more: Record<string, unknown> = {}): never {
  refuse("bad_request", `Line ${number} ${fault}. Nothing of it was imported.`, { line: number, ...more });
}

/** The first of them says enough. */
export function faultOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.map(String).join(".") ?? ""} ${issue?.message ?? ""}`.trim();
}

/** Undefined for an empty one. */
function parsed(bytes: Buffer, number: number): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    const text = UTF8.decode(bytes);
    if (text.trim() === "") return undefined;
    value = JSON.parse(text);
  } catch {
    refuseLine(number, "is not JSON in UTF-8");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    refuseLine(number, "is not a JSON object");
  return value as Record<string, unknown>; // which is all that an object of JSON can be
}
