// `npm test`: the check, then every vitest project, then one line of counts that stands last whatever was printed before it.
// Arguments are passed on to vitest.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const folder = mkdtempSync(join(tmpdir(), "holdfast-test-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const countsFile = join(folder, "counts.json");

let interrupted = false;

const checkExit = await run("npm", ["run", "--silent", "check"], {});
const vitestExit = await run("vitest", ["run", ...process.argv.slice(2)], {
  HOLDFAST_TEST_COUNTS: countsFile,
});

const counts = readCounts();
if (checkExit !== 0) {
  console.error("npm run check failed; its message is above the tests");
  counts.failed += 1;
}
// A run that breaks outside of any test still has to show as a failure.
if (vitestExit !== 0 && counts.failed === 0) counts.failed += 1;
if (counts.passed + counts.failed === 0) console.error("no test ran");

console.log(
  `\n${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}`,
);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

function run(command: string, args: string[], env: Record<string, string>): Promise<number> {
  if (interrupted) return Promise.resolve(1);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
    // Ctrl-C reaches the child by itself; being asked to end does not.
    const end = () => {
      interrupted = true;
      child.kill("SIGTERM");
    };
    const wait = () => {
      interrupted = true;
    };
    process.on("SIGTERM", end).on("SIGINT", wait);
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      process.off("SIGTERM", end).off("SIGINT", wait);
      if (signal !== null) console.error(`${command} was ended by ${signal}`);
      resolve(code ?? 1);
    });
  });
}

function readCounts(): Counts {
  try {
    return JSON.parse(readFileSync(countsFile, "utf8")) as Counts; // written by test/count-reporter.ts
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }; // vitest died before its first count
  }
}
