import { expect, test } from "vitest";
import { openServer } from "../../test/open-server.ts";
import type { ProfileInfo } from "../protocol/http.ts";
import type { KnownAgents } from "./profiles.ts";

const profile = (name: string, unusable: string | null = null): ProfileInfo => ({
  name,
  driver: "builtin",
  model: "demo/script",
  demo: true,
  origin: "config.toml",
  workspace: null,
  tools: ["shell"],
  mcp: [],
  contextTokens: 128_000,
  approvals: "ask",
  sandboxed: false,
  sandbox: "there is none",
  unusable,
});

const agents: KnownAgents = {
  profiles: [profile("default"), profile("keyless", "needs OPENAI_API_KEY")],
  modelFault: (model) => (model.startsWith("demo/") ? undefined : `no provider has ${model}`),
};

test("profiles are listed with what they lack", async () => {
  const server = await openServer({ agents: () => agents });
  expect(await server.call("GET", "/api/profiles")).toEqual({ items: agents.profiles, next: null });
});

test("a session names a profile and a model that there are", async () => {
  const server = await openServer({ agents: () => agents });
  const { id } = await server.newSession({ profile: "keyless" });
  expect(await server.call("POST", "/api/sessions", { profile: "none" }, 422)).toMatchObject({
    faults: [{ path: "body.profile", message: expect.stringContaining("default, keyless") }],
  });
  const made = await server.call("POST", "/api/sessions", { model: "demo/other" }, 201);
  expect(made).toMatchObject({ model: "demo/other" });
  await server.call("POST", "/api/sessions", { model: "nowhere/x" }, 422);
  const patched = await server.call("PATCH", `/api/sessions/${id}`, { model: "demo/script" });
  expect(patched).toMatchObject({ model: "demo/script" });
  const refused = await server.call(
    "PATCH",
    `/api/sessions/${id}`,
    { model: "nobody/knows", title: "x" },
    422,
  );
  expect(refused).toMatchObject({
    faults: [{ path: "body.model", message: expect.stringContaining("no provider has nobody/knows") }],
  });
  expect(await server.call("GET", `/api/sessions/${id}`)).toMatchObject({ title: null });
});

test("a server that is ready takes whatever needs its agents, and answers once they are loaded", async () => {
  let looks = 0;
  let isLooked = false;
  const known = () => (isLooked && ++looks > 3 ? agents : undefined);
  const server = await openServer({ agents: known });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  isLooked = true;
  await server.newSession({ profile: "keyless" });
  looks = 0;
  await server.call("POST", "/api/sessions", { model: "demo/other" }, 201);
});

test("agents that take too long to load make the server not ready: sessions can be begun, what needs them is asked to come back", async () => {
  let known: KnownAgents | undefined;
  const server = await openServer({ agents: () => known, limits: { agentsMs: 0 } });
  await server.newSession({ input: { kind: "prompt", text: "go" } });
  expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({
    code: "not_ready",
    detail: expect.stringContaining("still being loaded"),
  });
  const early = await server.fetch("/api/profiles");
  expect([early.status, early.headers.get("retry-after")]).toEqual([503, "2"]);
  await server.call("POST", "/api/sessions", { profile: "keyless" }, 503);
  known = agents;
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  await server.newSession({ profile: "keyless" });
});

test("what is wrong with a model is told with one full stop, whether it has its own or not", async () => {
  for (const fault of ["no provider has it", "No provider has it."]) {
    const server = await openServer({ agents: () => ({ ...agents, modelFault: () => fault }) });
    const { detail } = await server.call("POST", "/api/sessions", { model: "x/y" }, 422);
    expect(detail).toMatch(/[^.]\.$/);
  }
});

test("who asks for the profiles while they are loaded gets them as soon as they are", async () => {
  let looks = 0;
  const server = await openServer({ agents: () => (++looks > 3 ? agents : undefined) });
  expect(await server.call("GET", "/api/profiles")).toEqual({ items: agents.profiles, next: null });
});
