// A terminal whose output a test can read.
import { Writable } from "node:stream";
import { makeTerminal, type Output, type Terminal } from "../src/cli/terminal.ts";

export type Captured = { terminal: Terminal; out: () => string; err: () => string };

export function captureTerminal({
  isTTY = false,
  columns = 80,
  env = {},
}: { isTTY?: boolean; columns?: number; env?: NodeJS.ProcessEnv } = {}): Captured {
  const [stdout, out] = capture(isTTY, columns);
  const [stderr, err] = capture(isTTY, columns);
  return { terminal: makeTerminal(stdout, stderr, env), out, err };
}

export function capture(isTTY: boolean, columns: number): [Output, () => string] {
  let text = "";
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      text += chunk;
      done();
    },
  });
  return [Object.assign(stream, { isTTY, columns }) as Output, () => text];
}
