// A secret as it can stand in a text: as it is, and as JSON or a URL writes it.

export type Secret = {
  /** Of the variable that holds it, or whatever else tells a person which one it is. */
  name: string;
  value: string;
};

export type Form = { text: string; mark: string };

/** Shorter ones are no secrets, and would tear ordinary words out of a text. */
export const SECRET_MIN_CHARS = 8;

/** The longest first: where two begin at one place, the longer one is meant. */
export function formsOf(secrets: readonly Secret[]): Form[] {
  const marks = secrets.map(({ name }) => markOf(name));
  const forms = new Map<string, Form>();
  for (const { name, value } of secrets) {
    if (value.length < SECRET_MIN_CHARS) continue;
    // Set to its own name, as in an example, it is none; and to hide it twice would not be the same as once.
    if (marks.some((mark) => mark.includes(value))) continue;
    for (const text of [value, JSON.stringify(value).slice(1, -1), inUrl(value)])
      if (text !== undefined && !forms.has(text)) forms.set(text, { text, mark: markOf(name) });
  }
  return [...forms.values()].toSorted((a, b) => b.text.length - a.text.length);
}

export function markOf(name: string): string {
  return `[secret: ${name}]`;
}

/** Half of a surrogate pair has no form there. */
function inUrl(value: string): string | undefined {
  return value.isWellFormed() ? encodeURIComponent(value) : undefined;
}
