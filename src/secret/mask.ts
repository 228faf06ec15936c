// Bytes without secrets, each as long as it was: positions in a file stay good. A byte is masked when a secret in the file
// covers it, wherever one begins to read, as long as so many bytes around it are looked at as a secret can have.
import { SECRET_MIN_CHARS, type Form } from "./forms.ts";

type ByteForm = { bytes: Buffer; mask: Buffer };

export class ByteMask {
  /** How far beyond what is shown one has to look, on both sides. */
  readonly reach: number;
  readonly #forms: readonly ByteForm[];

  constructor(forms: readonly Form[]) {
    this.#forms = forms.map(byteForm);
    this.reach = Math.max(0, ...this.#forms.map(({ bytes }) => bytes.length - 1));
  }

  /** In place. `atEnd` when no more has been said: then what has begun like a secret may go on as one, and is masked too. */
  hide(bytes: Buffer, atEnd: boolean): void {
    const found = this.#forms.flatMap((form) => placesOf(form, bytes));
    const begun = atEnd ? this.begun(bytes) : 0;
    // The later one over the earlier: what a byte becomes is decided by those that cover it alone.
    for (const { at, mask } of found.toSorted((a, b) => a.at - b.at)) mask.copy(bytes, at);
    if (begun >= SECRET_MIN_CHARS) bytes.fill("*", bytes.length - begun);
  }

  /** How many bytes at the end may be the beginning of a secret. */
  begun(bytes: Buffer): number {
    for (let count = Math.min(this.reach, bytes.length); count > 0; count--) {
      const rest = bytes.subarray(bytes.length - count);
      const goesOn = this.#forms.some(
        ({ bytes: form }) => form.length > count && form.subarray(0, count).equals(rest),
      );
      if (goesOn) return count;
    }
    return 0;
  }
}

/** Its mark where that fits, with stars for the rest. */
function byteForm({ text, mark }: Form): ByteForm {
  const bytes = Buffer.from(text);
  const named = Buffer.from(mark);
  const mask = Buffer.alloc(bytes.length, "*");
  if (named.length <= bytes.length) named.copy(mask);
  return { bytes, mask };
}

/** Those that overlap as well. */
function placesOf({ bytes: form, mask }: ByteForm, bytes: Buffer): { at: number; mask: Buffer }[] {
  const places = [];
  for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + 1)) places.push({ at, mask });
  return places;
}
