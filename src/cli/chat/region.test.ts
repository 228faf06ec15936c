import { expect, test } from "vitest";
import { emptyView, type OpenAsk, type View } from "../../session/view.ts";
import { displayWidth } from "../visible.ts";
import { region, type Scene } from "./region.ts";

const NOW = Date.parse("2026-01-01T12:00:00.000Z");
const plain = (_style: string, text: string) => text;

function drawn(scene: Partial<Scene>) {
  return region(
    {
      view: null,
      asked: scene.view?.asks[0],
      isTooLate: false,
      mode: "queue",
      isLost: false,
      sending: 0,
      askedBelow: undefined,
      isArmed: false,
      text: "",
      cursor: 0,
      now: NOW,
      width: 40,
      height: 24,
      ...scene,
    },
    plain,
  );
}

function running(more: Partial<View> = {}): View {
  const turn = {
    id: "t1",
    inputs: [],
    startedAt: new Date(NOW - 75_000).toISOString(),
    stopRequested: false,
    usage: { inputTokens: 0, outputTokens: 0 },
    steps: 1,
    retryAt: null,
    triedMs: 0,
    recovering: false,
    takeovers: 0,
  };
  return { ...emptyView(), turn, ...more };
}

const ask = (command: string): OpenAsk => ({
  ask: "ask_1",
  kind: "approval",
  title: "shell: something",
  command,
  cwd: "/work",
  openedAt: "",
  position: "" as OpenAsk["position"],
});

test("the cursor stands behind what was typed before it, also in a line of several rows", () => {
  expect(drawn({ text: "hello", cursor: 2 })).toEqual({
    lines: ["❯ hello"],
    cursor: { line: 0, column: 4 },
  });
  const text = "x".repeat(50);
  expect(drawn({ text, cursor: 50, width: 20 })).toEqual({
    lines: [`❯ ${"x".repeat(18)}`, "x".repeat(20), "x".repeat(12)],
    cursor: { line: 2, column: 12 },
  });
  expect(drawn({ text: "x".repeat(18), cursor: 18, width: 20 })).toEqual({
    lines: [`❯ ${"x".repeat(18)}`, ""],
    cursor: { line: 1, column: 0 },
  });
});

test("the bottom says that a turn was given up, and what has it tried again", () => {
  expect(drawn({ view: running({ failed: true }), width: 120 }).lines[0]).toMatch(
    /^failed: send anything to try again · /,
  );
});

test("the bottom says what runs, what waits and what a key would do", () => {
  expect(drawn({ view: running(), width: 100 }).lines).toEqual([
    "working 1 min 15 s · Tab: steer instead of queue · Ctrl-C stops",
    "queue ❯ ",
  ]);
  expect(drawn({ view: running(), mode: "steer", isArmed: true, width: 100 }).lines).toEqual([
    "working 1 min 15 s · Tab: queue instead of steer · Ctrl-C again leaves",
    "steer ❯ ",
  ]);
  expect(drawn({ isLost: true, width: 100 }).lines[0]).toContain("the server is gone");
});

test("an approval shows every byte that would run, and what could turn a terminal around is made visible", () => {
  const { lines } = drawn({ view: running({ asks: [ask("echo \u202eevil\x1b[2J\nrm -rf /")] }), width: 60 });
  expect(lines).toContain("  $ echo <U+202E>evil␛[2J");
  expect(lines).toContain("  $ rm -rf /");
  expect(lines).toContain("  in /work");
  expect(lines.at(-1)).toBe("1–4 answers ❯ ");
});

test("an approval shows what else the call is given, and where that goes on", () => {
  const { command: _, ...write } = ask("");
  const details = [
    { name: "path", text: "a\x1b[2J.txt" },
    { name: "text", text: `${"line\n".repeat(8)}end` },
  ];
  const { lines } = drawn({ view: running({ asks: [{ ...write, details }] }), width: 60 });
  expect(lines).toContain("  path: a␛[2J.txt");
  expect(lines).toContain("  text, 43 bytes:");
  expect(lines).toContain("  | line");
  expect(lines).toContain("    … 5 more lines: holdfast asks list");
});

test("no line is wider than the terminal and the region is never higher, whatever there is to show", () => {
  const view = running({ asks: [ask(`${"long ".repeat(60)}\n`.repeat(9))] });
  for (const [width, height] of [
    [20, 6],
    [40, 10],
    [200, 24],
  ] as const) {
    const text = "y".repeat(300);
    const { lines, cursor } = drawn({ view, text, cursor: 150, width, height });
    expect(lines.length).toBeLessThan(height);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(cursor.line).toBeLessThan(lines.length);
  }
});

test("a line that is older than the ask is said to be no answer to it", () => {
  const view = running({ asks: [ask("rm")] });
  const { lines } = drawn({ view, asked: undefined, text: "go on", width: 100 });
  expect(lines.join("\n")).toContain("asked after you began this line, which is no answer: Return queues it");
  expect(lines.at(-1)).toBe("queue ❯ go on");
  expect(drawn({ view, text: "1" }).lines.at(-1)).toBe("1–4 answers ❯ 1");
});
