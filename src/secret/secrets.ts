// The secrets that Holdfast knows, and how to say something without them. What is said goes into logs for good, so this
// stands in front of every place where words become events.
import { formsOf, markOf, type Secret } from "./forms.ts";
import { ByteMask } from "./mask.ts";
import { Veil, Weave } from "./veil.ts";

export type Secrets = {
  /** There are none to hide. */
  none: boolean;
  /** With a mark that names it in place of each secret. */
  hide(text: string): string;
  /** The same for every text in a JSON value, which stays the same one when there is nothing to hide in it. */
  hideIn<T>(value: T): T;
  /** For a text that comes in stretches; undefined when it can go on as it comes. */
  veil(): Veil | undefined;
  /** The mark of a secret that stands in this text, or has stood there. */
  markIn(text: string): string | undefined;
  /** For bytes whose positions must stay as they are. */
  mask: ByteMask;
};

export const NO_SECRETS: Secrets = {
  none: true,
  hide: (text) => text,
  hideIn: (value) => value,
  veil: () => undefined,
  markIn: () => undefined,
  mask: new ByteMask([]),
};

export function keepSecret(secrets: readonly Secret[]): Secrets {
  const forms = formsOf(secrets);
  if (forms.length === 0) return NO_SECRETS;
  const weave = new Weave(forms);
  const marks = [...new Set(secrets.map(({ name }) => markOf(name)))];
  const hide = (text: string) => weave.hide(text);
  return {
    none: false,
    hide,
    hideIn: <T>(value: T) => hiddenIn(value, hide) as T, // of the same shape: only texts are others
    veil: () => new Veil(weave),
    markIn(text) {
      const hidden = hide(text);
      return marks.find((mark) => hidden.includes(mark));
    },
    mask: new ByteMask(forms),
  };
}

function hiddenIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item) => hiddenIn(item, hide));
    return items.some((item, n) => item !== value[n]) ? items : value;
  }
  const entries = Object.entries(value);
  const hidden = entries.map(([key, inner]) => [hide(key), hiddenIn(inner, hide)] as const);
  const isSame = hidden.every(([key, inner], n) => key === entries[n]?.[0] && inner === entries[n]?.[1]);
  return isSame ? value : Object.fromEntries(hidden);
}
