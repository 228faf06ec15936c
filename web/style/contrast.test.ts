// Who sees little reads it too: every pair of colours that text and signs are set in, in both themes.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const TEXT = 4.5;
const SIGN = 3;

const css = readFileSync(new URL("tokens.css", import.meta.url), "utf8");
const HUES = ["kelp", "amber", "red"] as const;
const CODE = ["keyword", "string", "constant", "function"] as const;

/** Foreground, background, and the least that is readable. A background of two is the first laid thinly on the second. */
const PAIRS: readonly [front: string, back: string | readonly [string, number, string], least: number][] = [
  ...["paper", "panel", "code", "kelp-wash", "amber-wash", "red-wash"].flatMap(
    (back): [string, string, number][] => [
      ["ink", back, TEXT],
      ["soft", back, TEXT],
      ["kelp", back, SIGN], // the ring around what has the focus
      ["bound", back, SIGN], // the edge of a field, or of a button that is not filled
    ],
  ),
  ["faint", "paper", TEXT],
  ["faint", "panel", TEXT],
  ["soft", ["line", 0.7, "paper"], TEXT], // a tag
  ["soft", ["line", 0.6, "panel"], TEXT], // what Enter does, the way that is not chosen
  ["bound", ["line", 0.6, "panel"], SIGN], // and the edge of the one that is
  ...HUES.flatMap((hue): [string, string | [string, number, string], number][] => [
    [hue, "paper", TEXT],
    [hue, "panel", TEXT],
    [hue, `${hue}-wash`, TEXT],
    [hue, ["line", 0.45, "panel"], TEXT], // the words of a row under the pointer
  ]),
  ["faint", ["line", 0.45, "panel"], TEXT], // and its age
  ["faint", ["line", 0.45, "paper"], TEXT],
  ["on-kelp", "kelp", TEXT],
  ...CODE.map((kind): [string, string, number] => [`code-${kind}`, "code", TEXT]),
];

test.each(["light", "dark"] as const)("in the %s theme every text and sign stands out enough", (theme) => {
  const colours = coloursOf(theme);
  const colour = (name: string) => {
    const found = colours.get(name);
    if (!found) throw new Error(`tokens.css has no --${name}`);
    return found;
  };
  const tooWeak = PAIRS.flatMap(([front, back, least]) => {
    const behind = typeof back === "string" ? colour(back) : mixed(colour(back[0]), back[1], colour(back[2]));
    const ratio = contrast(colour(front), behind);
    return ratio < least ? [`${front} on ${String(back)}: ${ratio.toFixed(2)}, not ${least}`] : [];
  });
  expect(tooWeak).toEqual([]);
});

test("no field or button is told from what is around it by a line that is only there to divide", () => {
  const soft = rules().filter(
    ({ selector, body }) => CONTROL.test(selector) && /(border|box-shadow)[\w-]*:[^;]*--line\b/.test(body),
  );
  expect(soft.map(({ selector }) => selector)).toEqual([]);
});

/** Also by what it is called, where the element's own edge is not the one that is drawn. */
const CONTROL =
  /(?<![.\w-])(button|input|select|textarea)\b|:checked|\[aria-current\]|\.box\b|\.choice\b|\.field\b|\.search form\b/;

function rules(): { selector: string; body: string }[] {
  const folder = new URL(".", import.meta.url);
  const sheets = readdirSync(folder).filter((name) => name.endsWith(".css"));
  return sheets.flatMap((name) => {
    const text = readFileSync(new URL(name, folder), "utf8").replaceAll(/\/\*[^]*?\*\//g, "");
    const found = text.matchAll(/([^{}]+)\{([^{}]*)\}/g);
    return [...found].map(([, selector = "", body = ""]) => ({ selector: selector.trim(), body }));
  });
}

type Colour = readonly [red: number, green: number, blue: number];

function coloursOf(theme: "light" | "dark"): Map<string, Colour> {
  const found = css.matchAll(/--([\w-]+): light-dark\(#(\w{6}), #(\w{6})\);/g);
  return new Map(
    [...found].map(([, name = "", light = "", dark = ""]) => [name, parse(theme === "light" ? light : dark)]),
  );
}

function parse(hex: string): Colour {
  const channel = (n: number) => Number.parseInt(hex.slice(2 * n, 2 * n + 2), 16) / 255;
  return [channel(0), channel(1), channel(2)];
}

function mixed(front: Colour, share: number, back: Colour): Colour {
  const channel = (n: 0 | 1 | 2) => share * front[n] + (1 - share) * back[n];
  return [channel(0), channel(1), channel(2)];
}

/** As WCAG 2 defines it: from 1 for equal colours to 21 for black on white. */
function contrast(a: Colour, b: Colour): number {
  const [lighter, darker] = luminance(a) > luminance(b) ? [a, b] : [b, a];
  return (luminance(lighter) + 0.05) / (luminance(darker) + 0.05);
}

function luminance([red, green, blue]: Colour): number {
  const linear = (channel: number) =>
    channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
