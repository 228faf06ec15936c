import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtinDriver } from "./driver.ts";
import type { WireKind } from "./endpoint.ts";

const KINDS: WireKind[] = ["openai-compatible", "openai", "anthropic", "google"];

test.each(KINDS)("a model of %s that was prepared loads no package with its first step", async (kind) => {
  const { prepared, later, outcome } = await loadedBy(kind);
  expect(prepared).toContain(`@ai-sdk/${kind}`);
  expect(later).toEqual([]);
  expect(outcome).toBe("failed"); // it was tried: nobody listens there
});

test("to prepare a model that can't be used is no fault: its step tells what is wrong", async () => {
  const driver = builtinDriver({ providers: {}, env: {} });
  await expect(driver.prepare?.("nobody/nothing")).resolves.toBeUndefined();
  await expect(driver.prepare?.("demo/demo")).resolves.toBeUndefined();
});

type Loaded = { prepared: string[]; later: string[]; outcome: string };

/** In a process of its own, where nothing is loaded yet. */
async function loadedBy(kind: WireKind): Promise<Loaded> {
  const script = `
    import { registerHooks } from "node:module";
    let packages = new Set();
    registerHooks({
      load(url, context, next) {
        const [, name] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
        if (name) packages.add(name);
        return next(url, context);
      },
    });
    const { builtinDriver } = await import(${JSON.stringify(new URL("driver.ts", import.meta.url).href)});
    const providers = { p: { kind: "${kind}", baseUrl: "http://127.0.0.1:9", apiKeyEnv: "KEY" } };
    const driver = builtinDriver({ providers, env: { KEY: "k" } });
    await driver.prepare("p/m");
    const prepared = [...packages];
    packages = new Set();
    const request = { model: "p/m", step: "s", instructions: "", context: [], tools: [], session: "ses_1" };
    const { outcome } = await driver.step(request, () => {}, new AbortController().signal);
    console.log(JSON.stringify({ prepared, later: [...packages], outcome }));
  `;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script]);
  return JSON.parse(stdout) as Loaded; // as it was just written
}
