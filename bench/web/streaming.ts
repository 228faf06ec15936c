import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { quantile, weigh, type Finding } from "../measure.ts";
import { streamedText } from "./long-log.ts";
import { row, type Scene } from "./scene.ts";
import { longestTaskMs } from "./trace.ts";

const ROUNDS = 3;
const DELTAS_PER_S = 60;
const SECONDS = 8;
const KEY_EVERY_MS = 70;

/** While text streams into the session that is on screen, and someone types in its composer. */
export async function measureStreaming(scene: Scene): Promise<Finding[]> {
  const page = await scene.tab();
  await row(page).click();
  await page.getByRole("region", { name: "Transcript" }).waitFor();
  const tasks: number[] = [];
  const keys: number[] = [];
  const slowest: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const { taskMs, keysMs } = await streamOnce(scene, page, round);
    if (round === 0) continue; // code that runs for the first time is compiled in it
    tasks.push(taskMs);
    keys.push(quantile(keysMs, 0.95));
    slowest.push(Math.max(...keysMs));
  }
  await page.context().close();
  return [
    weigh({
      what: `longest task while ${DELTAS_PER_S} deltas/s stream into it`,
      unit: "ms",
      target: { atMost: 50 },
      ours: tasks,
      details: [`of all tasks on the page's main thread in ${SECONDS} s, from Chromium's own trace`],
    }),
    weigh({
      what: "meanwhile, from a key to its letter on screen (95th percentile)",
      unit: "ms",
      target: { atMost: 50 },
      ours: keys,
      details: [`the slowest key of each round: ${slowest.map((ms) => ms.toFixed(0)).join(", ")} ms`],
    }),
  ];
}

async function streamOnce({ browser, server, session }: Scene, page: Page, round: number) {
  const step = `step_stream_${round}`;
  await server.append(session, [
    { type: "turn_started", data: { turn: `turn_stream_${round}`, inputs: [] } },
    {
      type: "step_started",
      data: { turn: `turn_stream_${round}`, step, attempt: 1, model: "local/qwen3" },
    },
  ]);
  await page.locator(`[id="${step}.1"]`).waitFor();
  const composer = page.locator(".compose textarea");
  await composer.fill("");
  await watchKeys(page);
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  const streaming = stream(async (offset, text) => {
    await server.append(session, [
      { type: "draft", data: { part: `${step}.1/0`, kind: "text", offset, text } },
    ]);
  });
  const typed = "someone types a longer thought while the agent is still at work here "
    .repeat(2)
    .slice(0, 100);
  await composer.pressSequentially(typed, { delay: KEY_EVERY_MS });
  const text = await streaming;
  const trace = await browser.stopTracing();
  const keysMs = await page.evaluate(() => (window as unknown as { keysMs: number[] }).keysMs);
  if (keysMs.length < typed.length) throw new Error(`only ${keysMs.length} of ${typed.length} keys arrived`);
  await server.append(session, [
    { type: "step_completed", data: { step, attempt: 1, message: [{ type: "text", text }] } },
    { type: "turn_ended", data: { turn: `turn_stream_${round}`, outcome: "completed" } },
  ]);
  return { taskMs: longestTaskMs(trace), keysMs };
}

/** At an even pace; what is late is made up for, as a model's answer through a network is. */
async function stream(send: (offset: number, text: string) => Promise<void>): Promise<string> {
  const pieces = streamedText(DELTAS_PER_S * SECONDS);
  const from = performance.now();
  let text = "";
  for (const [n, piece] of pieces.entries()) {
    await delay(Math.max(0, from + (n * 1000) / DELTAS_PER_S - performance.now()));
    await send(text.length, piece);
    text += piece;
  }
  return text;
}

/** Each from the key's own time to the frame after the one that has its letter. */
function watchKeys(page: Page): Promise<void> {
  return page.evaluate(() => {
    const keysMs: number[] = [];
    Object.assign(window, { keysMs });
    document.addEventListener("input", ({ timeStamp }) => {
      requestAnimationFrame(() => requestAnimationFrame(() => keysMs.push(performance.now() - timeStamp)));
    });
  });
}
