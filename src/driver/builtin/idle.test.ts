import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startStubModel } from "../../../test/stub-model.ts";

const driver = fileURLToPath(new URL("./driver.ts", import.meta.url));

/** Performs one step in a process of its own, and says which packages that took. */
async function packagesFor(model: string, baseUrl: string): Promise<string[]> {
  const script = `
    import { registerHooks } from "node:module";
    const names = new Set();
    registerHooks({ resolve: (name, context, next) => {
      const [, found] = /^(@ai-sdk\\/[\\w-]+)$/.exec(name) ?? [];
      if (found) names.add(found);
      return next(name, context);
    } });
    const { builtinDriver } = await import(${JSON.stringify(driver)});
    const driver = builtinDriver({
      providers: { local: { kind: "openai-compatible", baseUrl: ${JSON.stringify(baseUrl)} } },
      env: {},
      pace: async () => {},
    });
    const request = { model: ${JSON.stringify(model)}, step: "s1", session: "ses_1", instructions: "", tools: [],
      context: [{ role: "person", text: "hi", files: [] }] };
    const { outcome } = await driver.step(request, () => {}, new AbortController().signal);
    console.log(JSON.stringify([outcome, ...names]));
    process.exit(0);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return JSON.parse(stdout) as string[];
}

test("a server that calls no model loads no SDK, and one that does loads only that provider's", async () => {
  const stub = await startStubModel({ reply: "message", text: "hello" });
  expect(await packagesFor("demo/script", stub.origin)).toEqual(["completed"]);
  const loaded = await packagesFor("local/any", stub.baseUrls["openai-compatible"]);
  expect(loaded).toContain("@ai-sdk/openai-compatible");
  expect(loaded).not.toContain("@ai-sdk/anthropic");
  expect(loaded).not.toContain("@ai-sdk/openai");
  await stub.close();
});
