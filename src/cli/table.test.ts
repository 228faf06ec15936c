import { expect, test } from "vitest";
import { captureTerminal } from "../../test/captured-terminal.ts";
import { printTable, type Column } from "./table.ts";
import { displayWidth, visible } from "./visible.ts";

type Row = { id: string; title: string; n: number };
const columns: Column<Row>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "TITLE", cell: ({ title }) => title, flexible: true, paint: (cell) => `<${cell}>` },
  { title: "N", cell: ({ n }) => String(n), align: "right" },
];
const rows = [
  { id: "ses_1", title: "short", n: 5 },
  {
    id: "ses_2",
    title: "日本語 and a long title that goes on and on and on, further than anyone reads",
    n: 1234,
  },
];

test("a pipe gets every cell whole", () => {
  const { terminal, out } = captureTerminal();
  printTable(terminal, columns, rows);
  expect(out()).toContain(rows[1]!.title);
});

test.each([40, 60, 80])(
  "a terminal of %i columns is never overrun, and the title gives way first",
  (width) => {
    const { terminal, out } = captureTerminal({ isTTY: true, columns: width });
    printTable(
      terminal,
      columns.map((column) => ({ ...column, paint: (cell: string) => cell })),
      rows,
    );
    const lines = plain(out()).trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(lines[2]).toMatch(/^ses_2 .*…\s+1234$/);
  },
);

test("a cell is painted at its full width, so that columns stay in line", () => {
  const { terminal, out } = captureTerminal();
  printTable(terminal, columns, [rows[0]!, { ...rows[0]!, title: "longer" }]);
  expect(out()).toContain("ses_1  <short >  5\n");
});

test("colours are for terminals, and NO_COLOR is honoured", () => {
  const painted = (isTTY: boolean, env: NodeJS.ProcessEnv) => {
    const { terminal, out } = captureTerminal({ isTTY, env });
    printTable(terminal, columns, rows);
    return out() !== plain(out());
  };
  expect(painted(true, {})).toBe(true);
  expect(painted(true, { NO_COLOR: "1" })).toBe(false);
  expect(painted(true, { TERM: "dumb" })).toBe(false);
  expect(painted(false, {})).toBe(false);
});

function plain(text: string): string {
  return visible(text);
}
