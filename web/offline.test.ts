// Browsers look for a new service worker by its bytes alone: the files that it keeps have to show in them.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`public${path}`, import.meta.url), "utf8");

test("the service worker changes with the files that it keeps", () => {
  const worker = read("/sw.js");
  const files = /FILES = (\[.*\])/.exec(worker)?.[1] ?? "[]";
  const hash = createHash("sha256");
  for (const file of JSON.parse(files) as string[]) hash.update(read(file));
  // When this fails: put the name that is expected here into CACHE of web/public/sw.js.
  expect(/CACHE = "([^"]+)"/.exec(worker)?.[1]).toBe(`offline-${hash.digest("hex").slice(0, 8)}`);
  expect(files).toContain("/offline.html"); // or nothing was looked at
});
