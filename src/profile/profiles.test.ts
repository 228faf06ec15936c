import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { parseConfig } from "../config/read-config.ts";
import { usualProfile } from "../config/schema.ts";
import type { Env } from "../driver/builtin/endpoint.ts";
import type { Sandbox } from "../process/sandbox.ts";
import { instructionsFor } from "./instructions.ts";
import { listedProfile } from "./listed.ts";
import { findOllama, type Ollama } from "./ollama.ts";
import { profilesOf, type NamedProfile } from "./profiles.ts";
import { offersOf, providersOf } from "./providers.ts";
import { toolNotices, toolsThere } from "./tools.ts";

const NO_SANDBOX: Sandbox = { kind: "none", reason: "bubblewrap is not installed" };

function listed(toml: string, env: Env = {}, ollama?: Ollama) {
  const read = parseConfig(toml);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  const providers = providersOf(read.config, ollama);
  const profiles = profilesOf(read.config, offersOf(providers, env, ollama));
  return new Map(
    profiles.map((profile) => [
      profile.name,
      listedProfile(profile, { providers, env, sandbox: NO_SANDBOX, mcp: ["github"] }),
    ]),
  );
}

describe("profiles", () => {
  it("are the demo alone when there is neither configuration nor key", () => {
    const profiles = listed("");
    expect([...profiles.keys()]).toEqual(["default", "demo"]);
    expect(profiles.get("default")).toMatchObject({ demo: true, unusable: null, sandboxed: false });
  });

  it("are offered for keys in the environment and for a local Ollama, the default on the first", () => {
    const env = { OPENAI_API_KEY: "sk-secret", GEMINI_API_KEY: " " };
    const profiles = listed("", env, { baseUrl: "http://127.0.0.1:11434/v1", models: ["qwen3", "gemma"] });
    expect([...profiles.keys()]).toEqual(["default", "openai", "ollama", "demo"]);
    expect(profiles.get("default")?.model).toBe(profiles.get("openai")?.model);
    expect(profiles.get("ollama")).toMatchObject({ model: "ollama/qwen3", unusable: null });
    expect(JSON.stringify([...profiles.values()])).not.toContain("sk-secret");
  });

  it("of the configuration win over those that were found, and say what keeps them from working", () => {
    const profiles = listed(
      `[profiles.default]\nmodel = "anthropic/claude"\n[profiles.openai]\nmodel = "nowhere/x"\n[profiles.other]\n[profiles.agent]\ndriver = "acp"\ncommand = ["x"]\n[profiles.walled]\nmodel = "demo/x"\nsandbox = "bubblewrap"`,
      { OPENAI_API_KEY: "k" },
    );
    expect(profiles.get("default")?.unusable).toContain("ANTHROPIC_API_KEY");
    expect(profiles.get("openai")?.unusable).toContain('"nowhere"');
    expect(profiles.get("other")?.model).toBe("anthropic/claude");
    expect(profiles.get("agent")).toMatchObject({ driver: "acp", model: null, unusable: expect.any(String) });
    expect(profiles.get("walled")?.unusable).toContain("bubblewrap");
  });
});

describe("a local Ollama", () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  const answering = async (body: string, status = 200): Promise<string> => {
    const server = createServer((_, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it("is found with its models", async () => {
    const host = await answering('{"models":[{"name":"qwen3:8b"},{"size":1}]}');
    expect(await findOllama({ OLLAMA_HOST: host })).toEqual({
      baseUrl: `http://${host}/v1`,
      models: ["qwen3:8b"],
    });
  });

  it.each([
    ["nobody listens", () => Promise.resolve("127.0.0.1:9")],
    ["it has no model", () => answering('{"models":[]}')],
    ["something else answers", () => answering("<html>")],
    ["it refuses", () => answering("{}", 500)],
    ["it is elsewhere, behind TLS", () => Promise.resolve("https://ollama.example")],
  ])("is not found when %s", async (_, host) => {
    expect(await findOllama({ OLLAMA_HOST: await host() })).toBeUndefined();
  });
});

it("a tool that is not there yet is named to whoever configured it, and not given", () => {
  const config = { ...usualProfile(), tools: ["shell", "task"] as ("shell" | "task")[] };
  const profile: NamedProfile = { name: "p", model: "demo/demo", origin: "config.toml", config };
  expect(toolsThere(config)).toEqual(["shell"]);
  expect(toolNotices([profile])).toEqual([expect.stringContaining('profiles.p.tools names "task"')]);
  expect(toolNotices([{ ...profile, config: usualProfile() }])).toEqual([]);
});

it("a profile has all MCP servers, or those that it names", () => {
  const profile = (mcp?: string[]): NamedProfile => ({
    name: "p",
    model: "demo/demo",
    origin: "config.toml",
    config: { ...usualProfile(), ...(mcp && { mcp }) },
  });
  const listed = (mcp?: string[]) =>
    listedProfile(profile(mcp), { providers: {}, env: {}, sandbox: NO_SANDBOX, mcp: ["a", "b"] }).mcp;
  expect([listed(), listed(["b"]), listed([])]).toEqual([["a", "b"], ["b"], []]);
});

it("an agent is told of its workspace and of the tools that it has, and no others", () => {
  const text = instructionsFor("/work/x", new Set(["shell"]), ["Speak German."]);
  expect(text).toContain("/work/x");
  expect(text).toContain("- shell runs");
  expect(text).not.toContain("delegate");
  expect(text.endsWith("Speak German.")).toBe(true);
});
