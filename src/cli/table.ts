// Rows in columns that fit the terminal: what is too wide is cut where it hurts least.
import { cutTo, displayWidth } from "./visible.ts";
import type { Terminal } from "./terminal.ts";

export type Column<Row> = {
  title: string;
  cell: (row: Row) => string;
  /** Takes what is left; the others are as wide as their content. */
  flexible?: true;
  /** Colours the cell, whose width is known by then. */
  paint?: (cell: string, row: Row) => string;
  align?: "right";
};

const GAP = "  ";
const FLEXIBLE_MIN = 10;

export function printTable<Row>(
  terminal: Terminal,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const widths = fit(columns, cells, terminal.width);
  const titles = columns.map(({ title, align }, i) =>
    pad(cutTo(title, widths[i] ?? 0), widths[i] ?? 0, align),
  );
  terminal.line(terminal.paint("dim", titles.join(GAP).trimEnd()));
  rows.forEach((row, r) => {
    const line = columns.map(({ paint, align }, i) => {
      const width = widths[i] ?? 0;
      const text = pad(cutTo(cells[r]?.[i] ?? "", width), width, align);
      return paint ? paint(text, row) : text;
    });
    terminal.line(line.join(GAP).trimEnd());
  });
}

function fit<Row>(columns: readonly Column<Row>[], cells: readonly string[][], width: number): number[] {
  const widths = columns.map(({ title }, i) =>
    Math.max(displayWidth(title), ...cells.map((row) => displayWidth(row[i] ?? ""))),
  );
  let over = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1) - width;
  for (const isFlexible of [true, false])
    for (const [i, { flexible }] of columns.entries()) {
      if (over <= 0 || (flexible === true) !== isFlexible) continue;
      const cut = Math.min(over, Math.max(0, (widths[i] ?? 0) - FLEXIBLE_MIN));
      widths[i] = (widths[i] ?? 0) - cut;
      over -= cut;
    }
  return widths;
}

function pad(text: string, width: number, align: "right" | undefined): string {
  const spaces = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "right" ? spaces + text : text + spaces;
}
