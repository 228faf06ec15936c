// What a page shows of the session that is open in it: the transcript, walked from its beginning to its end because only
// the rows around the window are mounted, then the open asks and the queue. In the same lines as projection.ts.
import type { Page } from "playwright-core";

/** The ids of the first and the last message, where the walk begins and ends. */
export type Ends = { first: string | undefined; last: string | undefined };

export function shownLines(page: Page, ends: Ends): Promise<string[]> {
  return page.evaluate(walk, ends);
}

/** Runs in the page, so it stands on its own. */
async function walk({ first, last }: Ends): Promise<string[]> {
  const TRIES_MAX = 500;
  /** How many frames the next page of history may take to come. */
  const PAGE_FRAMES = 60;
  const scroller = document.querySelector<HTMLElement>('[aria-label="Transcript"]');
  if (!scroller) return [`no transcript but: ${plain(document.querySelector("main")?.textContent ?? "")}`];
  const rows = new Map<string, string[]>();
  const asks = new Map<string, string[]>();

  await toBeginning();
  for (let tries = 0, atEnd = 0; tries < TRIES_MAX && atEnd < PAGE_FRAMES; tries++) {
    gather();
    if (isAtEnd() && (last === undefined || rows.has(last))) break;
    atEnd = isAtEnd() ? atEnd + 1 : 0;
    scroller.scrollTop += scroller.clientHeight * 0.7;
    await rendered();
  }
  const queue = document.querySelectorAll('[aria-label="Waiting inputs"] li .text');
  return [
    ...[...rows.values()].flat(),
    ...[...asks.values()].flat(),
    ...Array.from(queue, ({ textContent }) => `queued: ${plain(textContent)}`),
  ];

  /** Pages back for as long as there is more; a page that lacks its beginning is read from where it begins. */
  async function toBeginning(): Promise<void> {
    for (let tries = 0, atTop = 0; tries < TRIES_MAX && atTop < PAGE_FRAMES; tries++) {
      if (first === undefined || document.getElementById(first)) return;
      atTop = scroller!.scrollTop === 0 ? atTop + 1 : 0;
      scroller!.scrollTop = 0;
      await rendered();
    }
  }

  function isAtEnd(): boolean {
    return scroller!.scrollTop + scroller!.clientHeight >= scroller!.scrollHeight - 1;
  }

  /** The virtual list measures what came into its window, and then may mount more. */
  async function rendered(): Promise<void> {
    for (let frames = 0; frames < 2; frames++) await new Promise((resolve) => requestAnimationFrame(resolve));
  }

  function gather(): void {
    const mounted = [...scroller!.querySelectorAll<HTMLElement>("li.message[id]")].toSorted(
      (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
    );
    keep(rows, mounted, (row) => row.id, linesOfRow);
    // A card that is closed tells only whoever was about to answer how it went.
    const cards = [...document.querySelectorAll<HTMLElement>("main [data-ask]:not(.closed)")];
    keep(
      asks,
      cards,
      (card) => card.dataset["ask"] ?? "",
      (card) => [`ask ${card.dataset["ask"]}`],
    );
  }

  /** What was seen before is read anew; what stands there twice is told twice. */
  function keep(
    into: Map<string, string[]>,
    elements: HTMLElement[],
    idOf: (element: HTMLElement) => string,
    read: (element: HTMLElement) => string[],
  ): void {
    const now = new Map<string, string[]>();
    for (const element of elements)
      now.set(idOf(element), [...(now.get(idOf(element)) ?? []), ...read(element)]);
    for (const [id, lines] of now) into.set(id, lines);
  }

  function linesOfRow(row: HTMLElement): string[] {
    const kind = [...row.classList].find((name) => name !== "message") ?? "";
    const head = `${kind} ${row.id}`;
    if (kind === "input" || kind === "notice")
      return [`${head}: ${plain(row.querySelector(".text")?.textContent ?? "")}`];
    const parts = [...row.querySelectorAll<HTMLElement>("[data-part]")].map(lineOfPart);
    const { state } = row.dataset;
    return [state === undefined ? head : `${head} ${state}`, ...parts];
  }

  function lineOfPart(part: HTMLElement): string {
    const { part: id, outcome } = part.dataset;
    if (outcome !== undefined) return `  tool ${id} ${outcome}`;
    const isReasoning = part.matches("details");
    const said = [...part.childNodes].filter((node) => !isReasoning || node.nodeName !== "SUMMARY");
    const text = said.map(({ textContent }) => textContent ?? "").join(" ");
    return `  ${isReasoning ? "reasoning" : "text"} ${id}: ${plain(text)}`;
  }

  function plain(text: string): string {
    return text.replaceAll(/\s+/g, " ").trim();
  }
}
