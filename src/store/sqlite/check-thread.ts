// The check takes as long as the file is large: it runs in a thread of its own, on a connection of its own.
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { check, type Report } from "./check.ts";
import { openReader } from "./database.ts";
import { errorOf, failureOf, type Failure } from "./failure.ts";

type Outcome = { report: Report } | { failure: Failure };
const MARK = "holdfast check";

export async function checkFile(file: string): Promise<Report> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { [MARK]: file } });
  const outcome = await new Promise<Outcome>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  await worker.terminate();
  if ("failure" in outcome) throw errorOf(outcome.failure);
  return outcome.report;
}

if (
  !isMainThread &&
  parentPort &&
  typeof workerData === "object" &&
  workerData !== null &&
  MARK in workerData
)
  parentPort.postMessage(run(String(workerData[MARK])));

function run(file: string): Outcome {
  try {
    const database = openReader(file);
    try {
      database.exec("begin"); // of one moment, however long it takes
      return { report: check(database) };
    } finally {
      database.close();
    }
  } catch (error) {
    return { failure: failureOf(error) };
  }
}
