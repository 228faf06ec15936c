import { expect, test } from "vitest";
import { locateModel, type ProviderConfig } from "./endpoint.ts";

const PROVIDERS: Record<string, ProviderConfig> = {
  local: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:11434/v1" },
  router: { kind: "openai-compatible", baseUrl: "https://router.example/v1", apiKeyEnv: "ROUTER_KEY" },
  bare: { kind: "openai-compatible" },
  claude: { kind: "anthropic" },
  gemini: { kind: "google" },
  demo: { kind: "demo" },
};

function locate(model: string, env: Record<string, string> = {}) {
  return locateModel(model, PROVIDERS, env);
}

test("a local server needs no key", () => {
  expect(locate("local/qwen3")).toMatchObject({
    ok: true,
    endpoint: { provider: "local", model: "qwen3", key: null },
  });
});

test("a model's name may have slashes of its own", () => {
  const located = locate("router/anthropic/claude:free", { ROUTER_KEY: "k" });
  expect(located).toMatchObject({ endpoint: { model: "anthropic/claude:free" } });
});

test("a missing key names the variable to set, and a variable set to nothing is missing", () => {
  expect(locate("router/x")).toMatchObject({
    fault: { class: "auth", message: expect.stringContaining("ROUTER_KEY") },
  });
  expect(locate("router/x", { ROUTER_KEY: " " })).toMatchObject({ fault: { class: "auth" } });
  expect(locate("claude/x")).toMatchObject({
    fault: { message: expect.stringContaining("ANTHROPIC_API_KEY") },
  });
});

test("a key is found under any of the names that people use for it", () => {
  expect(locate("gemini/x", { GOOGLE_API_KEY: "k" })).toMatchObject({
    endpoint: { key: { variable: "GOOGLE_API_KEY", secret: "k" } },
  });
});

test.each(["nobody/x", "nobody", "toString/x"])(
  "a model of the unknown provider in %s is told what there is",
  (model) => {
    const located = locate(model);
    expect(located).toMatchObject({ fault: { class: "unknown_model" } });
    expect(JSON.stringify(located)).toContain("bare, claude, demo, gemini, local, router");
  },
);

test("a model without a name is told how to write it", () => {
  expect(locate("local")).toMatchObject({ fault: { message: expect.stringContaining("local/<model>") } });
});

test("a compatible server without an address is told where to write it", () => {
  expect(locate("bare/x")).toMatchObject({ fault: { message: expect.stringContaining("[providers.bare]") } });
});

test("the demo is found under whatever name it is configured", () => {
  expect(locate("demo")).toEqual({ ok: true, kind: "demo" });
  expect(locate("demo/anything")).toEqual({ ok: true, kind: "demo" });
});
