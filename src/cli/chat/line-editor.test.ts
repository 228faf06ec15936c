import * as fc from "fast-check";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { virtualScreen } from "../../../test/virtual-screen.ts";
import { BREAK, LineEditor, Paste, TAB } from "./line-editor.ts";

function edit() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const told: string[] = [];
  const editor = new LineEditor(stdin as unknown as NodeJS.ReadStream, virtualScreen().stdout, {
    line: (text) => told.push(`line ${JSON.stringify(text)}`),
    changed: () => {},
    tab: () => told.push("tab"),
    interrupt: () => told.push("interrupt"),
    end: () => told.push("end"),
  });
  onTestFinished(() => editor.close());
  return { editor, told, type: (keys: string) => stdin.write(keys) };
}

it("knows what is being typed and where, with the keys that people know", async () => {
  const { editor, told, type } = edit();
  type("helo\x1b[D");
  await expect.poll(() => [editor.text, editor.cursor]).toEqual(["helo", 3]);
  type("l\x01>\x05!");
  await expect.poll(() => editor.text).toBe(">hello!");
  type("\r");
  await expect.poll(() => told).toEqual(['line ">hello!"']);
  type("\x1b[A");
  await expect.poll(() => editor.text).toBe(">hello!");
});

it("tells Tab, Ctrl-C and Ctrl-D apart, and Tab types nothing", async () => {
  const { editor, told, type } = edit();
  type("a\tb\x03");
  await expect.poll(() => told).toEqual(["tab", "interrupt"]);
  expect(editor.text).toBe("ab");
  editor.put("");
  expect(editor.text).toBe("");
  type("\x04");
  await expect.poll(() => told).toEqual(["tab", "interrupt", "end"]);
});

it("takes what is pasted as one input, whatever lines it has", async () => {
  const { editor, told, type } = edit();
  type("see: \x1b[200~one\r\ntwo\n\tthree\x1b[201~");
  await expect.poll(() => editor.text).toBe(`see: one${BREAK}two${BREAK}${TAB}three`);
  type("\r");
  await expect.poll(() => told).toEqual(['line "see: one\\ntwo\\n\\tthree"']);
});

it("is given back a text that could not be sent, with its lines", () => {
  const { editor } = edit();
  editor.put("one\ntwo");
  expect(editor.text).toBe(`one${BREAK}two`);
});

it("finds the marks of a paste wherever the terminal's bytes are cut", () => {
  const whole = `a\r\x1b[200~b\r\nc\x1b[201~d\r\x1b[200~e\n\x1b[201~`;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: whole.length - 1 })), (cuts) => {
      const paste = new Paste();
      const places = [0, ...new Set(cuts)].toSorted((a, b) => a - b);
      // An Escape by itself is a key and is not waited for: terminals send a mark's first two bytes together.
      const usable = places.filter((place) => whole[place - 1] !== "\x1b");
      const fed = usable.map((from, n) => paste.feed(whole.slice(from, usable[n + 1])));
      expect(fed.join("")).toBe(`a\rb${BREAK}cd\re${BREAK}`);
    }),
  );
});
