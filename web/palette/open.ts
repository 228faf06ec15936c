// What the command palette was opened for, by whoever has a button or a key for it.
import { createSignal } from "solid-js";

/** Something that a command wants to know before it runs, such as a new title. */
export type Question = {
  label: string;
  value: string;
  /** The word on the button. */
  verb: string;
  run: (text: string) => void | Promise<void>;
};

export type Asked =
  /** `failure`: of a command that was run by its keys, with nothing else on screen to say so. */
  { query: string; failure?: string } | { question: Question };

/** Undefined while it is closed. */
const [asked, setAsked] = createSignal<Asked>();
export { asked as askedPalette };

export function openPalette(query = ""): void {
  setAsked({ query });
}

export function askInPalette(question: Question): void {
  setAsked({ question });
}

export function openPaletteWithFailure(failure: string): void {
  setAsked({ query: "", failure });
}

export function closePalette(): void {
  setAsked(undefined);
}
