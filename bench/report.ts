// Findings for people: each with what it means, and all of them once more as a table at the end.
import type { Machine } from "./machine.ts";
import type { Finding, Row, Sample, Target } from "./measure.ts";

export type Report = { machine: Machine; rows: { row: string; findings: Finding[] }[]; missed: number };

export function headText(machine: Machine): string {
  return [
    `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, ${machine.system}; Node ${machine.node}, SQLite ${machine.sqlite}`,
    `Data in ${machine.folder}, where writing and syncing a page takes ${figure(machine.syncMs)} ms; load before the run ${figure(machine.load)}.`,
    "Holdfast and its baseline take turns; each figure is the median of the rounds, with the lowest and the highest in brackets.",
    "Read the ratios: absolute figures are this machine's at this moment.",
  ].join("\n");
}

export function rowText(row: Row, findings: readonly Finding[]): string {
  const lines = [`\n${row.name}: ${row.title}`, `  ${row.reading}`];
  for (const finding of findings) {
    lines.push(`  ${finding.what}`);
    if (finding.baseline) {
      const { name, ...baseline } = finding.baseline;
      lines.push(`    Holdfast  ${sampleText(finding.ours, finding.unit)}`);
      lines.push(`    baseline  ${sampleText(baseline, finding.unit)}  ${name}`);
    }
    lines.push(`    ${measuredText(finding)}, ${targetText(finding)}: ${mark(finding)}`);
    for (const detail of finding.details) lines.push(`    ${detail}`);
  }
  return lines.join("\n");
}

export function tableText({ rows, missed }: Report, machine: Machine): string {
  const cells = rows.flatMap(({ row, findings }) =>
    findings.map((finding) => [row, finding.what, measuredText(finding), targetText(finding), mark(finding)]),
  );
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const table = cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  const postgres = machine.postgres === undefined ? "" : ` (PostgreSQL ${machine.postgres})`;
  return `\n${table.join("\n")}\n\n${missed === 0 ? "all targets reached" : `${missed} missed`}${postgres}`;
}

function measuredText({ measured, baseline, unit }: Finding): string {
  return baseline ? sampleText(measured, "×") : sampleText(measured, unit);
}

function targetText({ target, baseline, unit }: Finding): string {
  return `${bound(target)}${baseline ? " ×" : ` ${unit}`}`;
}

function bound(target: Target): string {
  return "atLeast" in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`;
}

function mark({ reached }: Finding): string {
  return reached ? "reached" : "MISSED";
}

function sampleText({ median, lowest, highest }: Sample, unit: string): string {
  return `${figure(median)} ${unit} [${figure(lowest)} … ${figure(highest)}]`;
}

/** Three digits that mean something. */
export function figure(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toPrecision(3).replace(/\.?0+$/, "");
}
