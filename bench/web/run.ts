// `npm run bench:web`: what the page promises, measured in a real Chromium on the real server. `--json` prints one
// document for programs. Exit code 1 says that a target was missed.
import { parseArgs } from "node:util";
import { machine as readMachine } from "../machine.ts";
import type { Row } from "../measure.ts";
import { rowText, tableText, type Report } from "../report.ts";
import { measureOpening } from "./opening.ts";
import { openScene, type Scene } from "./scene.ts";
import { measureStreaming } from "./streaming.ts";
import { measureSwitching } from "./switching.ts";
import { measureWeight } from "./weight.ts";

type PageRow = Omit<Row, "measure"> & { measure(scene: Scene): ReturnType<Row["measure"]> };

const ROWS: PageRow[] = [
  {
    name: "opening",
    title: "A session of 10,000 messages is opened",
    reading:
      "Each round in a new tab; the time runs from the click to the frame that shows the session's end.",
    measure: measureOpening,
  },
  {
    name: "streaming",
    title: "Text streams into it while someone types",
    reading:
      "The machine also runs the server, the one who streams, and the trace: on a real desk it has less to do.",
    measure: measureStreaming,
  },
  {
    name: "weight",
    title: "What the page weighs",
    reading:
      "Script as it comes over the wire; memory of the page's own process, not of the browser around it.",
    measure: measureWeight,
  },
  {
    name: "switching",
    title: "Someone goes from session to session while the list has thousands",
    reading: "Each session is opened for the first time; what holds the page holds its next key as long.",
    measure: measureSwitching,
  },
];

const { values } = parseArgs({ options: { json: { type: "boolean" } } });
const print = (text: string) => (values.json ? console.error(text) : console.log(text));
const report: Report = { machine: readMachine(), rows: [], missed: 0 };
await using stack = new AsyncDisposableStack();
const scene = await openScene(stack);
print(
  `${report.machine.cores} cores (${report.machine.cpu}), ${report.machine.system}; Node ${report.machine.node}, Chromium ${scene.browser.version()}, 1280 × 800\n` +
    "Each figure is the median of the rounds, with the lowest and the highest in brackets.",
);
for (const row of ROWS) {
  const findings = await row.measure(scene);
  report.rows.push({ row: row.name, findings });
  report.missed += findings.filter(({ reached }) => !reached).length;
  print(rowText({ ...row, measure: () => Promise.resolve(findings) }, findings));
}
print(tableText(report, report.machine));
if (values.json) console.log(JSON.stringify(report, null, 2));
process.exitCode = report.missed > 0 ? 1 : 0;
