// A session on paper. The transcript holds only what is in view: before it is printed, all that is here is put into the
// document; and whoever prints from the menu has all of it here first.
import { createSignal, onCleanup, onMount, type Accessor } from "solid-js";
import { failureWords } from "../failure-words.ts";
import type { OpenSession } from "../state/open-session.ts";
import { showToast } from "../toasts/show.ts";

/** Some 2,000 messages: more is for the export. */
const PAGES_MAX = 20;

/** True while the browser lays the page out for paper. */
export function createPrinting(): Accessor<boolean> {
  const [isPrinting, setPrinting] = createSignal(false);
  const begin = () => setPrinting(true);
  const end = () => setPrinting(false);
  onMount(() => {
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    onCleanup(() => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    });
  });
  return isPrinting;
}

export async function printWhole(session: OpenSession): Promise<void> {
  try {
    session.reachEnd();
    for (let pages = 0; pages < PAGES_MAX && session.hasEarlier; pages++) await session.loadEarlier();
  } catch (error) {
    showToast({ text: "Not printed", detail: failureWords(error), tone: "failed" });
    return;
  }
  print();
}
