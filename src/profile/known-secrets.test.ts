import { expect, test } from "vitest";
import { Config } from "../config/schema.ts";
import { knownSecrets } from "./known-secrets.ts";

function known(
  config: object,
  env: Record<string, string>,
  more: { databaseUrl?: string; token?: string } = {},
) {
  const settings = { config: Config.parse(config), databaseUrl: undefined, token: undefined, ...more };
  return Object.fromEntries(knownSecrets(settings, env).map(({ name, value }) => [value, name]));
}

test("the keys of providers are known, those of the configuration and the usual ones", () => {
  const env = {
    MY_KEY: " mine-of-gate-7 ",
    OPENAI_API_KEY: "sk-of-Openai",
    GOOGLE_API_KEY: "of-google-1",
    HOME: "/home/me",
  };
  expect(known({ providers: { openai: { kind: "openai", apiKeyEnv: "MY_KEY" } } }, env)).toEqual({
    "mine-of-gate-7": "MY_KEY",
    "sk-of-Openai": "OPENAI_API_KEY",
    "of-google-1": "GOOGLE_API_KEY",
  });
});

test("so are the token, what webhooks are signed with, and what is passed on under the name of a secret", () => {
  const config = {
    webhooks: [{ url: "https://example.com", secretEnv: "HOOK" }],
    profiles: { default: { passEnv: ["GITHUB_TOKEN", "NODE_ENV"] } },
  };
  const env = { HOOK: "signs-with-this", GITHUB_TOKEN: "ghp_1234", NODE_ENV: "production" };
  expect(known(config, env, { token: "of-automation" })).toEqual({
    "signs-with-this": "HOOK",
    ghp_1234: "GITHUB_TOKEN",
    "of-automation": "HOLDFAST_TOKEN",
  });
});

test("so is what MCP servers are let in with, by an address or by their environment", () => {
  const mcp = {
    far: { url: "https://mcp.example", tokenEnv: "DOCS" },
    near: { command: ["server"], passEnv: ["GITHUB_TOKEN", "NODE_ENV"] },
  };
  const env = { DOCS: "lets-us-in-1", GITHUB_TOKEN: "ghp_1234", NODE_ENV: "production" };
  expect(known({ mcp }, env)).toEqual({ "lets-us-in-1": "DOCS", ghp_1234: "GITHUB_TOKEN" });
});

test("plain words in place of a key are none, and neither is the lack of one", () => {
  const providers = {
    studio: { kind: "openai-compatible", baseUrl: "http://127.0.0.1:1", apiKeyEnv: "LOCAL" },
  };
  for (const LOCAL of ["lm-studio", "not needed", ""]) expect(known({ providers }, { LOCAL })).toEqual({});
});

test("a password within an address is known as it is and as the address writes it", () => {
  const name = "HOLDFAST_DATABASE_URL";
  expect(known({}, {}, { databaseUrl: "postgres://me:p%40ss%2Fword@db/holdfast" })).toEqual({
    "p%40ss%2Fword": name,
    "p@ss/word": name,
  });
  expect(known({}, {}, { databaseUrl: "postgres://db/holdfast?user=me&password=opensesame" })).toEqual({
    opensesame: name,
  });
  const gate = { kind: "openai-compatible", baseUrl: "https://me:opensesame@gate.example/v1" };
  expect(known({ providers: { gate } }, {})).toEqual({ opensesame: "providers.gate.baseUrl" });
});

test("so are a password and tokens within the address of an MCP server, and nothing else of it", () => {
  const url = "https://me:opensesame@mcp.example/mcp?api_key=let-me-in-1&tenant=acme-limited";
  const name = "mcp.far.url";
  expect(known({ mcp: { far: { url } } }, {})).toEqual({
    opensesame: name,
    "let-me-in-1": name,
  });
});

test("a password that its address says elsewhere too is no secret", () => {
  expect(known({}, {}, { databaseUrl: "postgres://postgres:postgres@127.0.0.1:5432/holdfast" })).toEqual({});
});
