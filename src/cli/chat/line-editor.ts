// The line that is being typed. Keys and history are readline's; drawing is not, since the line is only a part of what is
// drawn. What is pasted stays one input, however many lines it has.
import { createInterface, type Interface } from "node:readline";
import { PassThrough, Writable } from "node:stream";

/** Stand for line breaks and tabs within the line, where they are seen and can be deleted. */
export const BREAK = "\u2424";
export const TAB = "\u2409";

const PASTE_BEGINS = "\x1b[200~";
const PASTE_ENDS = "\x1b[201~";
const ASK_FOR_MARKS = "\x1b[?2004h";
const NO_MORE_MARKS = "\x1b[?2004l";
const HISTORY_MAX = 200;

export type Keys = {
  line: (text: string) => void;
  /** Anything may have changed. */
  changed: () => void;
  tab: () => void;
  /** Ctrl-C. */
  interrupt: () => void;
  /** Ctrl-D on an empty line, or the terminal is gone. */
  end: () => void;
};

export class LineEditor {
  readonly #readline: Interface;
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WritableStream;
  readonly #input: PassThrough;
  readonly #paste = new Paste();
  readonly #fed: (chunk: string) => void;

  constructor(stdin: NodeJS.ReadStream, stdout: NodeJS.WritableStream, keys: Keys) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#input = Object.assign(new PassThrough({ encoding: "utf8" }), {
      setRawMode: (isRaw: boolean) => stdin.setRawMode(isRaw),
    });
    this.#readline = createInterface({
      input: this.#input,
      output: new Writable({ write: (_chunk, _encoding, done) => done() }),
      terminal: true,
      historySize: HISTORY_MAX,
      removeHistoryDuplicates: true,
    });
    this.#fed = (chunk) => {
      const [first = "", ...behindTabs] = this.#paste.feed(chunk).split("\t");
      this.#input.write(first);
      for (const text of behindTabs) {
        keys.tab();
        this.#input.write(text);
      }
      keys.changed();
    };
    stdout.write(ASK_FOR_MARKS);
    stdin.setEncoding("utf8").on("data", this.#fed).on("end", keys.end).resume();
    this.#readline.on("line", (line) => keys.line(line.replaceAll(BREAK, "\n").replaceAll(TAB, "\t")));
    this.#readline.on("SIGINT", keys.interrupt);
    this.#readline.on("SIGCONT", keys.changed);
    this.#readline.on("close", keys.end);
    this.#input.on("keypress", keys.changed);
  }

  get text(): string {
    return this.#readline.line;
  }

  get cursor(): number {
    return this.#readline.cursor;
  }

  /** In place of what stands there. */
  put(text: string): void {
    this.#readline.write(null, { ctrl: true, name: "e" });
    this.#readline.write(null, { ctrl: true, name: "u" });
    this.#readline.write(inOneLine(text));
  }

  close(): void {
    this.#readline.close();
    this.#stdin.off("data", this.#fed).pause();
    this.#stdout.write(NO_MORE_MARKS);
  }
}

/** Line breaks within what the terminal marks as pasted are no Return. */
export class Paste {
  #isWithin = false;
  /** The beginning of a mark whose rest may come with the next chunk. */
  #rest = "";

  feed(chunk: string): string {
    let text = this.#rest + chunk;
    this.#rest = "";
    let fed = "";
    while (text !== "") {
      const mark = this.#isWithin ? PASTE_ENDS : PASTE_BEGINS;
      const at = text.indexOf(mark);
      if (at < 0) {
        // Half of a line break waits for the other half.
        this.#rest = this.#isWithin && text.endsWith("\r") ? "\r" : beginningOf(mark, text);
        return fed + this.#broken(text.slice(0, text.length - this.#rest.length));
      }
      fed += this.#broken(text.slice(0, at));
      text = text.slice(at + mark.length);
      this.#isWithin = !this.#isWithin;
    }
    return fed;
  }

  #broken(text: string): string {
    return this.#isWithin ? inOneLine(text) : text;
  }
}

function inOneLine(text: string): string {
  return text.replaceAll(/\r\n?|\n/g, BREAK).replaceAll("\t", TAB);
}

/** As much of the mark as the text ends with; a lone Escape is a key, not a beginning. */
function beginningOf(mark: string, text: string): string {
  for (let length = mark.length - 1; length > 1; length--)
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
  return "";
}
