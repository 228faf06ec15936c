import { createRoot } from "solid-js";
import { expect, test } from "vitest";
import type { AskRowsFrame } from "../../src/client/socket.ts";
import type { Ask } from "../../src/protocol/http.ts";
import { createAsks } from "./asks.ts";

const ask = (id: string, openedAt: string): Ask => ({
  id,
  session: "ses_1",
  kind: "approval",
  title: id,
  call: null,
  command: null,
  cwd: null,
  digest: null,
  choices: [],
  multiple: false,
  expires: null,
  openedAt,
  state: "open",
  answer: null,
  closedBy: null,
  closedAt: null,
});
const [first, second, third] = [
  ask("ask_1", "2026-11-15T10:00:00.000Z"),
  ask("ask_2", "2026-11-15T11:00:00.000Z"),
  ask("ask_3", "2026-11-15T12:00:00.000Z"),
];

function watched() {
  let deliver!: (frame: AskRowsFrame) => void;
  const asks = createRoot(() =>
    createAsks({
      watchAsks: (read) => {
        deliver = read;
        return () => {};
      },
    }),
  );
  const raised: string[] = [];
  asks.onRaised(({ id }) => raised.push(id));
  const rows = (rows: Ask[], more: Partial<AskRowsFrame> = {}) =>
    deliver({ op: "rows", topic: "asks", rows, whole: false, ...more });
  return { asks, raised, rows, ids: () => asks.open().map(({ id }) => id) };
}

test("whoever waits longest stands first, in whatever order they came", () => {
  const { rows, ids } = watched();
  rows([third, first], { whole: true });
  rows([second]);
  expect(ids()).toEqual(["ask_1", "ask_2", "ask_3"]);
});

test("an ask that was answered anywhere is gone", () => {
  const { asks, rows, ids } = watched();
  rows([first, second], { whole: true });
  rows([], { gone: ["ask_1"] });
  expect(ids()).toEqual(["ask_2"]);
  expect(asks.isOpen("ask_1")).toBe(false);
});

test("what was open before the page came is no news; what is raised later is, once, also over a gap", () => {
  const { rows, raised } = watched();
  rows([first], { whole: true });
  rows([second]);
  rows([first, second, third], { whole: true });
  expect(raised).toEqual(["ask_2", "ask_3"]);
});
