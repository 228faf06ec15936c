// Names that follow from what they are of, so that whoever asks again finds the same.
import { createHash } from "node:crypto";

/** Named after the call; as young as its parent, in the order of ids. */
export function childId(parent: string, call: string): string {
  return `${parent.slice(0, "ses_".length + TIME_CHARS)}${chance(`${parent} ${call}`)}`;
}

export function inputId(about: string): string {
  return `inp_${about.slice("ses_".length, "ses_".length + TIME_CHARS)}${chance(`input of ${about}`)}`;
}

/**
 * As young as its session; with the try behind it. A restored backup is another store, and has the same calls anew: in the
 * home where it was restored lie the directories of those that are no more.
 */
export function processName(store: string, session: string, call: string, attempt: number): string {
  const time = session.slice("ses_".length, "ses_".length + TIME_CHARS);
  return `prc_${time}${chance(`${store} ${session} ${call}`)}.${attempt}`;
}

const TIME_CHARS = 10;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

function chance(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 12);
  return Array.from(bytes, (byte) => ALPHABET[byte % 32]).join("");
}
