import { expect, test } from "vitest";
import { writeInput } from "./input.ts";
import { endOf, saidBy, untilSaid, useScene } from "./scene.ts";
import { stopProcess } from "./stop.ts";

const scene = useScene();

test("a command reads what is written to it, in order, from any number of writes", async () => {
  const process = await scene.start("while read line; do echo got $line; [ $line = end ] && exit 0; done", {
    stdin: "fifo",
  });
  for (const word of ["one", "two", "end"])
    expect(await writeInput(process, `${word}\n`)).toEqual({ ok: true });
  expect(await endOf(process)).toMatchObject({ exit: 0 });
  expect(await saidBy(process)).toBe("got one\ngot two\ngot end\n");
});

test("more than a pipe holds is written while the command reads", async () => {
  const text = "x".repeat(300_000);
  const process = await scene.start(`head -c ${text.length} | wc -c`, { stdin: "fifo" });
  expect(await writeInput(process, text, 20_000)).toEqual({ ok: true });
  await endOf(process);
  expect((await saidBy(process)).trim()).toBe(String(text.length));
});

test("a command that does not read takes only what fits, and the writer is told how much", async () => {
  const process = await scene.start("sleep 1000", { stdin: "fifo" });
  expect(await writeInput(process, "first")).toEqual({ ok: true });
  const written = await writeInput(process, "x".repeat(300_000), 0);
  expect(written).toMatchObject({ ok: false, code: "full" });
  const { writtenBytes } = written as { writtenBytes: number };
  expect(writtenBytes).toBeGreaterThan(0);
  expect(writtenBytes).toBeLessThan(300_000);
  await stopProcess(process.dir, { reason: "stopped" });
});

test("a command without a FIFO, or one that has ended, takes no input", async () => {
  const without = await scene.start("echo ready; sleep 1000");
  await untilSaid(without, "ready");
  expect(await writeInput(without, "x")).toEqual({ ok: false, code: "no_input" });
  await stopProcess(without.dir, { reason: "stopped" });
  const ended = await scene.start("true", { stdin: "fifo" });
  await endOf(ended);
  expect(await writeInput(ended, "x")).toEqual({ ok: false, code: "ended" });
});
