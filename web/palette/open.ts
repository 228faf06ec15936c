// Whether the command palette is open, for whoever has a button or a key for it.
import { createSignal } from "solid-js";

/** What it opens with, such as the words of a search; undefined while it is closed. */
const [asked, setAsked] = createSignal<{ query: string }>();
export { asked as askedPalette };

export function openPalette(query = ""): void {
  setAsked({ query });
}

export function closePalette(): void {
  setAsked(undefined);
}
