// Where a command writes: what is asked for to stdout, everything else to stderr. Colours only on a terminal, and not
// when NO_COLOR is set.
import { once } from "node:events";
import { styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "magenta";

export type Output = {
  write(text: string): boolean;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly writableLength: number;
} & NodeJS.WritableStream;

export type Terminal = {
  /** Whether a person reads stdout; else it is a pipe or a file, and progress is left out. */
  readonly isInteractive: boolean;
  /** Columns to fit a table into; a pipe has no bound. */
  readonly width: number;
  write(text: string): void;
  line(text?: string): void;
  json(value: unknown): void;
  /** To stderr. */
  note(text: string, style?: Style): void;
  paint(style: Style, text: string): string;
  /** When too much waits to be written, a promise for when it is gone. */
  backlog(): Promise<void> | undefined;
  readonly stdout: Output;
};

const BACKLOG_BYTES = 1 << 20;
const NARROWEST = 40;

export function makeTerminal(stdout: Output, stderr: Output, env: NodeJS.ProcessEnv): Terminal {
  const isInteractive = stdout.isTTY === true;
  const painter = (stream: Output) => {
    const hasColours = stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
    return (style: Style, text: string) =>
      hasColours ? styleText(style, text, { validateStream: false }) : text;
  };
  const paintNote = painter(stderr);
  return {
    isInteractive,
    get width() {
      return isInteractive ? Math.max(NARROWEST, stdout.columns ?? 80) : Infinity;
    },
    stdout,
    write: (text) => void stdout.write(text),
    line: (text = "") => void stdout.write(`${text}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value)}\n`),
    note: (text, style) => void stderr.write(`${style ? paintNote(style, text) : text}\n`),
    paint: painter(stdout),
    backlog: () => (stdout.writableLength > BACKLOG_BYTES ? drained(stdout) : undefined),
  };
}

async function drained(stream: Output): Promise<void> {
  await once(stream, "drain");
}
