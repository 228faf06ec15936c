import fc from "fast-check";
import { expect, test } from "vitest";
import { keepSecret, NO_SECRETS, type Secrets } from "./secrets.ts";

const KEY = "sk-proj-abcdefgh12345678";
const secrets = keepSecret([
  { name: "OPENAI_API_KEY", value: KEY },
  { name: "HOLDFAST_TOKEN", value: 'to"ken/with marks' },
]);

/** In stretches of any length. */
function throughVeil(known: Secrets, stretches: readonly string[]): string {
  const veil = known.veil();
  if (!veil) return stretches.join("");
  return stretches.map((stretch) => veil.push(stretch)).join("") + veil.end();
}

test("a secret becomes a mark that names it, wherever it stands", () => {
  expect(secrets.hide(`key=${KEY}, again ${KEY}${KEY}`)).toBe(
    "key=[secret: OPENAI_API_KEY], again [secret: OPENAI_API_KEY][secret: OPENAI_API_KEY]",
  );
});

test("a secret is known as JSON and as a URL write it", () => {
  expect(secrets.hide(JSON.stringify({ token: 'to"ken/with marks' }))).toBe(
    '{"token":"[secret: HOLDFAST_TOKEN]"}',
  );
  expect(secrets.hide(`?token=${encodeURIComponent('to"ken/with marks')}`)).toBe(
    "?token=[secret: HOLDFAST_TOKEN]",
  );
});

test("what is too short for a secret, or is set to its own name, is left in the text", () => {
  const none = keepSecret([
    { name: "SHORT", value: "1234567" },
    { name: "MY_API_KEY", value: "MY_API_KEY" },
  ]);
  expect(none).toBe(NO_SECRETS);
  expect(none.veil()).toBeUndefined();
});

test("of two secrets that begin alike the longer one is meant, also when it comes in two stretches", () => {
  const both = keepSecret([
    { name: "SHORT_KEY", value: "abcdefgh" },
    { name: "LONG_KEY", value: "abcdefghijkl" },
  ]);
  expect(both.hide("abcdefghijkl abcdefghijk")).toBe("[secret: LONG_KEY] [secret: SHORT_KEY]ijk");
  expect(throughVeil(both, ["abcdefgh", "ijkl abcdefgh", "ijk"])).toBe(
    "[secret: LONG_KEY] [secret: SHORT_KEY]ijk",
  );
});

test("only what may be the beginning of a secret is held back", () => {
  const veil = secrets.veil()!;
  expect(veil.push("nothing here")).toBe("nothing here");
  expect(veil.push("words and sk-pr")).toBe("words and ");
  expect(veil.push("oof")).toBe("sk-proof");
  expect(veil.push(`${KEY.slice(0, -1)}`)).toBe("");
  expect(veil.push(KEY.slice(-1))).toBe("[secret: OPENAI_API_KEY]");
  expect(veil.push("s")).toBe("");
  expect(veil.end()).toBe("s");
});

test("texts in a value are hidden with its keys, and a value without any stays the same one", () => {
  const value = { list: ["a", { of: KEY }], n: 1, [KEY]: null };
  expect(secrets.hideIn(value)).toEqual({
    list: ["a", { of: "[secret: OPENAI_API_KEY]" }],
    n: 1,
    "[secret: OPENAI_API_KEY]": null,
  });
  const plain = { list: ["a", { of: "b" }], n: 1, none: undefined };
  expect(secrets.hideIn(plain)).toBe(plain);
});

test("a text that holds a secret, or the mark of one, says so", () => {
  expect(secrets.markIn(`echo ${KEY}`)).toBe("[secret: OPENAI_API_KEY]");
  expect(secrets.markIn("echo [secret: HOLDFAST_TOKEN]")).toBe("[secret: HOLDFAST_TOKEN]");
  expect(secrets.markIn("echo [secret: ANOTHER]")).toBeUndefined();
});

/** Of few letters, so that secrets overlap themselves and each other, and begin in every second stretch. */
const letters = (constraints: { minLength: number; maxLength: number }) =>
  fc.string({ ...constraints, unit: fc.constantFrom("a", "b", "😀") });
const someSecrets = fc
  .array(letters({ minLength: 8, maxLength: 12 }), { minLength: 1, maxLength: 3 })
  .map((values) => values.map((value, n) => ({ name: `KEY_${n}`, value })));
const textWith = (values: readonly { value: string }[]) =>
  fc.array(
    fc.oneof(letters({ minLength: 0, maxLength: 9 }), fc.constantFrom(...values.map(({ value }) => value))),
    { maxLength: 12 },
  );

test("however a text is cut, the same is shown, and none of its secrets", () => {
  fc.assert(
    fc.property(
      someSecrets.chain((values) => fc.tuple(fc.constant(values), textWith(values))),
      fc.array(fc.nat(6), { minLength: 1, maxLength: 20 }),
      ([values, words], cuts) => {
        const known = keepSecret(values);
        const text = words.join("");
        const stretches: string[] = [];
        for (let at = 0, n = 0; at < text.length; n++) {
          const next = at + (cuts[n % cuts.length] ?? 0) + 1;
          stretches.push(text.slice(at, next));
          at = next;
        }
        const shown = throughVeil(known, stretches);
        expect(shown).toBe(known.hide(text));
        for (const { value } of values) expect(shown).not.toContain(value);
        expect(known.hide(shown)).toBe(shown);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("bytes keep their places: whatever range is read, it is a range of the one masked file", () => {
  fc.assert(
    fc.property(
      someSecrets.chain((values) => fc.tuple(fc.constant(values), textWith(values))),
      fc.nat(100),
      fc.nat(100),
      ([values, words], from, count) => {
        const { mask } = keepSecret(values);
        const file = Buffer.from(words.join(""));
        const whole = Buffer.from(file);
        mask.hide(whole, true);
        const start = Math.max(0, from - mask.reach);
        const range = Buffer.from(file.subarray(start, from + count + mask.reach));
        mask.hide(range, start + range.length >= file.length);
        expect(whole.length).toBe(file.length);
        expect(range.subarray(from - start, from - start + count)).toEqual(
          whole.subarray(from, from + count),
        );
        for (const { value } of values) expect(whole.includes(value)).toBe(false);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("a mask names its secret where there is room for the name", () => {
  const bytes = Buffer.from(`a ${KEY}! ${'to"ken/with marks'}`);
  secrets.mask.hide(bytes, true);
  expect(bytes.toString()).toBe(`a [secret: OPENAI_API_KEY]! ${"*".repeat(17)}`);
});
