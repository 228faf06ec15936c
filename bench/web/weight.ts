import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { weigh, type Finding } from "../measure.ts";
import { row, type Scene } from "./scene.ts";

/** Until what the page does by itself after a load is over. */
const REST_MS = 3000;
const ROUNDS = 3;

export async function measureWeight(scene: Scene): Promise<Finding[]> {
  return [await script(scene), await memory(scene)];
}

/** What the browser itself says came over the wire, before anything is clicked. */
async function script({ tab }: Scene): Promise<Finding> {
  const page = await tab();
  await page.reload();
  await row(page).waitFor();
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map((entry) => entry as PerformanceResourceTiming)
      .filter(({ name }) => name.endsWith(".js"))
      .map(({ name, encodedBodySize, decodedBodySize }) => ({ name, encodedBodySize, decodedBodySize })),
  );
  await page.context().close();
  const kb = (bytes: number) => bytes / 1000;
  const sum = (of: (file: (typeof loaded)[number]) => number) =>
    kb(loaded.reduce((all, file) => all + of(file), 0));
  return weigh({
    what: "script of the first load, compressed",
    unit: "KB",
    target: { atMost: 250 },
    ours: [sum(({ encodedBodySize }) => encodedBodySize)],
    details: [
      `${loaded.length} files, ${sum(({ decodedBodySize }) => decodedBodySize).toFixed(0)} KB unpacked`,
    ],
  });
}

/** With the long session open at its end, after a collection of garbage. */
async function memory({ browser, tab }: Scene): Promise<Finding> {
  const used: number[] = [];
  const heaps: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await tab();
    await row(page).click();
    await page.getByRole("region", { name: "Transcript" }).waitFor();
    await delay(REST_MS);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await devtools.send("Runtime.getHeapUsage");
    heaps.push(usedSize / 1e6);
    const renderer = await rendererMb(browser, page);
    if (renderer !== undefined) used.push(renderer);
    await page.context().close();
  }
  const heap = `script's own heap: ${heaps.map((mb) => mb.toFixed(1)).join(", ")} MB`;
  const isWhole = used.length === ROUNDS;
  return weigh({
    what: isWhole ? "memory of the page's process at rest" : "memory of the page's script at rest",
    unit: "MB",
    target: { atMost: 150 },
    ours: isWhole ? used : heaps,
    details: [
      isWhole
        ? "proportional set size of its renderer as Linux counts it: what is its own, and its share of what is common"
        : "this system does not say what the renderer uses",
      heap,
    ],
  });
}

/** Of the renderer that shows this page: the one that is busy when the page is. Only Linux tells. */
async function rendererMb(browser: Browser, page: Page): Promise<number | undefined> {
  const system = await browser.newBrowserCDPSession();
  const times = async () => {
    const { processInfo } = await system.send("SystemInfo.getProcessInfo");
    return new Map(
      processInfo.filter(({ type }) => type === "renderer").map(({ id, cpuTime }) => [id, cpuTime]),
    );
  };
  const before = await times();
  await page.evaluate(() => {
    for (const from = performance.now(); performance.now() - from < 200;);
  });
  const after = await times();
  await system.detach();
  const [pid] = [...after]
    .toSorted(([a, timeA], [b, timeB]) => timeB - (before.get(b) ?? 0) - (timeA - (before.get(a) ?? 0)))
    .flat();
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => undefined); // not on Linux
  const kb = rollup && /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1];
  return kb ? (Number(kb) * 1024) / 1e6 : undefined;
}
