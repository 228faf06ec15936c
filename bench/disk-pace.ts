// What the disk alone makes of the pace at which one agent speaks: whoever waits for a commit waits for this at least.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { quantile, timeOf } from "./measure.ts";

/** As much as a commit of a word or two writes. */
const PAGES = Buffer.alloc(2 * 4096, 1);
/** The file grows no further than a journal does. */
const FILE_COMMITS = 100;

/** p99 of writing and syncing so many times a second, in milliseconds. */
export async function syncsAtPace(folder: string, syncs: number, perSecond: number): Promise<number> {
  await using file = await open(join(folder, "pace"), "w");
  const times: number[] = [];
  for (let n = 0; n < syncs; n++) {
    await delay(1000 / perSecond);
    times.push(
      await timeOf(async () => {
        await file.write(PAGES, 0, PAGES.length, (n % FILE_COMMITS) * PAGES.length);
        await file.sync();
      }),
    );
  }
  return quantile(times, 0.99);
}
