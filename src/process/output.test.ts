import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keepSecret, NO_SECRETS } from "../secret/secrets.ts";
import { headTail } from "./head-tail.ts";
import { writeInput } from "./input.ts";
import { bytesOfCutCharacter, follow, readOutput } from "./output.ts";
import { endOf, useScene } from "./scene.ts";
import { adopt } from "./state.ts";
import { stopProcess } from "./stop.ts";

const scene = useScene();
const { mask } = NO_SECRETS;

test("a character is never split, whatever the limit", async () => {
  const text = "aé€😀".repeat(50);
  const dir = await outputOf(text);
  for (const limit of [1, 4, 5, 7, 64]) {
    const pieces: string[] = [];
    for (let from = 0; ;) {
      const output = await readOutput(dir, mask, from, limit);
      if (output.next === from) break;
      pieces.push(output.text);
      from = output.next;
    }
    expect(pieces.join("")).toBe(text);
    expect(pieces.every((piece) => !piece.includes("\uFFFD"))).toBe(true);
  }
});

test("the beginning of a character waits for its end, or is shown as it is when none comes", async () => {
  const dir = await outputOf(Buffer.concat([Buffer.from("ok"), Buffer.from("€").subarray(0, 2)]));
  expect(await readOutput(dir, mask, 0, 100, false)).toMatchObject({ text: "ok", next: 2, bytes: 4 });
  expect(await readOutput(dir, mask, 0, 100, true)).toMatchObject({ text: "ok\uFFFD", next: 4 });
});

test("bytes that are no UTF-8 at all are got past", async () => {
  const dir = await outputOf(Buffer.from([0xff, 0x80, 0x80, 0x80, 0x80, 0xfe, 0x41]));
  expect(await readOutput(dir, mask, 0, 5, false)).toMatchObject({ next: 5 });
  expect(await readOutput(dir, mask, 5, 5, false)).toMatchObject({ text: "\uFFFDA", next: 7 });
});

test("cutting any text anywhere leaves whole characters on both sides", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, at) => {
      const whole = text.toWellFormed();
      const bytes = Buffer.from(whole);
      const cut = bytes.subarray(0, bytes.length === 0 ? 0 : at % bytes.length);
      const first = cut.subarray(0, cut.length - bytesOfCutCharacter(cut));
      expect(first.toString("utf8") + bytes.subarray(first.length).toString("utf8")).toBe(whole);
    }),
  );
});

test("nothing said yet, or a position beyond the end, reads as nothing", async () => {
  const dir = await outputOf("abc");
  expect(await readOutput(dir, mask, 10, 100)).toEqual({ text: "", from: 10, next: 10, bytes: 3 });
  expect(await readOutput(join(dir, "none"), mask, 0, 100)).toEqual({ text: "", from: 0, next: 0, bytes: 0 });
});

test("following yields what comes while it comes, and ends with the process", async () => {
  const process = await scene.start("echo first; read line; echo second $line; exit 2", { stdin: "fifo" });
  let heard = "";
  for await (const { text, from, next } of follow(process, mask, 0, AbortSignal.timeout(20_000))) {
    expect(from).toBe(Buffer.byteLength(heard));
    heard += text;
    expect(next).toBe(Buffer.byteLength(heard));
    if (heard === "first\n") await writeInput(process, "word\n");
  }
  expect(heard).toBe("first\nsecond word\n");
  expect(await endOf(process)).toMatchObject({ exit: 2 });
});

test("following from a position leaves out what came before it", async () => {
  const process = await scene.start("printf 'one two'");
  await endOf(process);
  const heard = await Array.fromAsync(
    follow(process, mask, 4, AbortSignal.timeout(20_000)),
    ({ text }) => text,
  );
  expect(heard.join("")).toBe("two");
});

test("following ends with its signal while the process goes on", async () => {
  const process = await scene.start("echo first; exec sleep 1000");
  const leave = new AbortController();
  for await (const { text } of follow(process, mask, 0, leave.signal))
    if (text.includes("first")) leave.abort();
  expect(await adopt(process.dir)).toMatchObject({ state: "running" });
  await stopProcess(process.dir, { reason: "stopped" });
});

test("a flood is followed to its last byte, in order", async () => {
  const process = await scene.start("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done");
  const heard = await Array.fromAsync(
    follow(process, mask, 0, AbortSignal.timeout(20_000)),
    ({ text }) => text,
  );
  expect(heard.join("")).toBe(Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join(""));
});

test("output within the limits is shown whole", async () => {
  const dir = await outputOf("short\n");
  expect(await headTail(dir, mask, "prc_x", { headBytes: 3, tailBytes: 3 })).toEqual({
    text: "short\n",
    bytes: 6,
    omitted: null,
  });
});

test("of a long output the model gets the first and last lines and how to read the rest", async () => {
  const lines = Array.from({ length: 1000 }, (_, n) => `line ${n}\n`);
  const dir = await outputOf(lines.join(""));
  const { text, omitted, bytes } = await headTail(dir, mask, "prc_x", { headBytes: 50, tailBytes: 50 });
  expect(omitted).not.toBeNull();
  const [from, to] = [omitted?.from ?? 0, omitted?.to ?? 0];
  const whole = lines.join("");
  expect(bytes).toBe(whole.length);
  expect(text.startsWith(`${whole.slice(0, from)}\n[holdfast: ${to - from} of ${bytes} bytes`)).toBe(true);
  expect(text.endsWith(`]\n${whole.slice(to)}`)).toBe(true);
  expect(whole.slice(0, from)).toMatch(/^line 0\n(line \d+\n)+$/);
  expect(whole.slice(to)).toMatch(/^(line \d+\n)+$/);
  expect(text).toContain(`{"action":"output","process":"prc_x","offset":${from}}`);
  expect((await readOutput(dir, mask, from, to - from)).text).toBe(whole.slice(from, to));
});

test("a single long line is cut between characters", async () => {
  const dir = await outputOf("€".repeat(1000));
  const { text, omitted } = await headTail(dir, mask, "prc_x", { headBytes: 50, tailBytes: 50 });
  expect(text).not.toContain("\uFFFD");
  expect(omitted).toEqual({ from: 48, to: 2952 });
});

async function outputOf(content: string | Buffer): Promise<string> {
  const dir = join(scene.home, "processes", "prc_x");
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, "output"), content);
  return dir;
}

const KEY = "sk-proj-0123456789abcdefghij";
const MASKED = "[secret: A_KEY]*************";
const known = keepSecret([{ name: "A_KEY", value: KEY }]).mask;

test("from wherever one reads, a secret is masked at its own length", async () => {
  const whole = `é before ${KEY} behind\n`;
  const dir = await outputOf(whole);
  const masked = Buffer.from(`é before ${MASKED} behind\n`);
  for (let from = 2; from < masked.length; from++) {
    const { text, next, bytes } = await readOutput(dir, known, from, 7, false);
    expect(text).toBe(masked.subarray(from, Math.min(from + 7, masked.length)).toString());
    expect([next, bytes]).toEqual([from + text.length, masked.length]);
  }
});

test("what may be the beginning of a secret is left for the next read, and masked for whoever can't wait", async () => {
  const dir = await outputOf(`it is ${KEY.slice(0, 10)}`);
  expect(await readOutput(dir, known, 0, 100, false)).toMatchObject({ text: "it is ", next: 6, bytes: 16 });
  expect(await readOutput(dir, known, 6, 100, false)).toMatchObject({ text: "", next: 6 });
  expect(await readOutput(dir, known, 0, 100, true)).toMatchObject({
    text: `it is ${"*".repeat(10)}`,
    next: 16,
  });
  await writeFile(join(dir, "output"), `it is ${KEY.slice(0, 10)}, or not`);
  expect(await readOutput(dir, known, 6, 100, false)).toMatchObject({ text: "sk-proj-01, or not" });
});

test("a secret that a command writes in two parts is never heard, nor shown where its output is cut", async () => {
  const script = `printf 'a ${KEY.slice(0, 9)}'; read line; printf '${KEY.slice(9)} b'`;
  const process = await scene.start(script, { stdin: "fifo" });
  let heard = "";
  for await (const { text } of follow(process, known, 0, AbortSignal.timeout(20_000))) {
    if (heard === "") await writeInput(process, "go on\n");
    heard += text;
  }
  expect(heard).toBe(`a ${MASKED} b`);
  const cut = await headTail(process.dir, known, "prc_x", { headBytes: 12, tailBytes: 12 });
  expect(cut.text).toContain(`a ${MASKED.slice(0, 10)}\n`);
  expect(cut.text).toContain("\n********** b");
});
