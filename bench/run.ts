// `npm run bench`: every promise about speed, as a ratio measured in this run. `npm run bench -- appends replay` runs only
// those rows; `--json` prints one document for programs. Exit code 1 says that a target was missed.
import { parseArgs } from "node:util";
import { appends } from "./appends.ts";
import { appendsPostgres } from "./appends-postgres.ts";
import { fanOut } from "./fan-out.ts";
import { growth } from "./growth.ts";
import { machine as readMachine } from "./machine.ts";
import type { Row, Run } from "./measure.ts";
import { makeFolder, startPostgres, type PostgresServer } from "./place.ts";
import { replay } from "./replay.ts";
import { headText, rowText, tableText, type Report } from "./report.ts";
import { roundTrip } from "./round-trip.ts";
import { start } from "./start.ts";
import { turnRows } from "./turns.ts";
import { turnsKilled, turnsKilledPostgres } from "./turns-killed.ts";

const ROWS: Row[] = [
  appends,
  appendsPostgres,
  roundTrip,
  fanOut,
  replay,
  growth,
  start,
  ...turnRows,
  turnsKilled,
  turnsKilledPostgres,
];

const { values, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
const chosen = chosenRows(positionals);
if (chosen === undefined) {
  console.error(
    `npm run bench -- [--json] [row …]\nrows: ${ROWS.map((row) => `\n  ${row.name.padEnd(18)} ${row.title}`).join("")}`,
  );
  process.exitCode = 2;
} else {
  const report = await runRows(chosen);
  if (values.json) console.log(JSON.stringify(report, null, 2));
  process.exitCode = report.missed > 0 ? 1 : 0;
}

/** Undefined when a name is not a row's. */
function chosenRows(names: string[]): Row[] | undefined {
  if (names.some((name) => !ROWS.some((row) => row.name === name))) return undefined;
  return names.length === 0 ? ROWS : ROWS.filter((row) => names.includes(row.name));
}

async function runRows(rows: Row[]): Promise<Report> {
  await using whole = new AsyncDisposableStack();
  const print = (text: string) => (values.json ? console.error(text) : console.log(text));
  const report: Report = { machine: readMachine(), rows: [], missed: 0 };
  print(headText(report.machine));

  let server: Promise<PostgresServer> | undefined;
  for (const row of rows) {
    await using stack = new AsyncDisposableStack();
    const run: Run = {
      stack,
      folder: () => makeFolder(stack),
      async database() {
        const postgres = await (server ??= startPostgres(whole));
        report.machine.postgres = postgres.version;
        return postgres.database();
      },
      say: (progress) => {
        if (process.stderr.isTTY) process.stderr.write(`  … ${progress}\n`);
      },
    };
    const findings = await row.measure(run);
    report.rows.push({ row: row.name, findings });
    report.missed += findings.filter((finding) => !finding.reached).length;
    print(rowText(row, findings));
  }
  print(tableText(report, report.machine));
  return report;
}
