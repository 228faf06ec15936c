// The schema library would double the page. A test, because one careless import is enough and nothing looks broken.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const START = fileURLToPath(new URL("main.tsx", import.meta.url));
const ALLOWED = [
  "solid-js",
  "solid-js/web",
  "solid-js/store",
  "@tanstack/solid-virtual", // rows of the transcript
  "marked",
  "dompurify",
];

test("the page loads no package at run time but its framework and what is named here", () => {
  const packages = new Map<string, string>();
  for (const [file, names] of runtimeImports(START))
    for (const name of names) if (!name.startsWith(".")) packages.set(name, file);
  expect(Object.fromEntries([...packages].filter(([name]) => !ALLOWED.includes(name)))).toEqual({});
  expect([...packages.keys()]).toContain("solid-js/web"); // or nothing was looked at
});

test("an import that is only a type is not counted", () => {
  expect(
    importedNames(`import type { A } from "zod"; import { type B } from "b"; export type { C } from "c";`),
  ).toEqual(["b"]);
});

/** Each file that is loaded, with what it imports. */
function runtimeImports(start: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const ahead = [start];
  for (let file = ahead.pop(); file !== undefined; file = ahead.pop()) {
    if (found.has(file) || !/\.tsx?$/.test(file)) continue;
    const names = importedNames(readFileSync(file, "utf8"));
    found.set(file, names);
    for (const name of names) {
      const next = join(dirname(file), name);
      if (name.startsWith(".") && existsSync(next)) ahead.push(next);
    }
  }
  return found;
}

/** A list of nothing but types still loads its module under verbatimModuleSyntax. */
function importedNames(source: string): string[] {
  const statements = source.matchAll(
    /(?:^|[;\n])\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?\bfrom\s+)?"([^"]+)"/g,
  );
  return Array.from(statements, ([, isType, name]) =>
    isType === undefined && name !== undefined ? name : "",
  ).filter((name) => name !== "");
}
