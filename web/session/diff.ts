// Two texts as the lines that went and came between what both have.

export type DiffLine = { kind: "same" | "gone" | "new"; text: string } | { kind: "skipped"; count: number };

/** Lines of one times lines of the other; beyond it what lies between the common ends is simply replaced. */
const EFFORT_MAX = 1_000_000;
/** Lines that both have are shown so far around a change. */
const AROUND = 3;

export function diffOf(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return shortened([
    ...all("same", old.slice(0, start)),
    ...changed(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...all("same", end === 0 ? [] : old.slice(-end)),
  ]);
}

export function countOf(lines: readonly DiffLine[]): { added: number; removed: number } {
  return {
    added: lines.filter(({ kind }) => kind === "new").length,
    removed: lines.filter(({ kind }) => kind === "gone").length,
  };
}

function changed(old: string[], now: string[]): DiffLine[] {
  if (old.length * now.length > EFFORT_MAX) return [...all("gone", old), ...all("new", now)];
  const common = commonLengths(old, now);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    const [gone = "", fresh = ""] = [old[i], now[j]];
    if (gone === fresh) {
      lines.push({ kind: "same", text: gone });
      i++;
      j++;
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      lines.push({ kind: "gone", text: gone });
      i++;
    } else {
      lines.push({ kind: "new", text: fresh });
      j++;
    }
  }
  return [...lines, ...all("gone", old.slice(i)), ...all("new", now.slice(j))];
}

/** Of the longest run of lines that both rests have, from each pair of lines on. */
function commonLengths(old: string[], now: string[]): Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    const [row, below] = [table[i], table[i + 1]];
    if (!row || !below) break; // never: the table has a row for each line and one more
    for (let j = now.length - 1; j >= 0; j--)
      row[j] = old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
  }
  return table;
}

function shortened(lines: DiffLine[]): DiffLine[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== "same");
  const short: DiffLine[] = [];
  lines.forEach((line, n) => {
    const last = short.at(-1);
    if (line.kind !== "same" || isNear(n)) short.push(line);
    else if (last?.kind === "skipped") last.count += 1;
    else short.push({ kind: "skipped", count: 1 });
  });
  return short;
}

function all(kind: "same" | "gone" | "new", texts: string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

/** What follows the last line end is no line. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
