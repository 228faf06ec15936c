import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keepHostId } from "./host-id.ts";
import { readSettings } from "./settings.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "settings-"));
});
afterEach(() => rmSync(home, { recursive: true }));

test("a flag wins over the environment, that over the file, that over the default", () => {
  writeFileSync(join(home, "config.toml"), '[server]\nport = 1\nhost = "localhost"\nlogLevel = "warn"\n');
  const read = readSettings({ HOLDFAST_HOME: home, HOLDFAST_PORT: "2", HOLDFAST_HOST: "::1" }, { port: 3 });
  if (!read.ok) throw new Error(read.faults);
  const { settings } = read;
  expect([settings.port, settings.host, settings.logLevel, settings.hosts]).toEqual([3, "::1", "warn", []]);
  const origin = (name: string) => settings.listed.find((each) => each.name === name)?.origin;
  expect(origin("port")).toBe("--port");
  expect(origin("host")).toBe("HOLDFAST_HOST");
  expect(origin("logLevel")).toBe(`${join(home, "config.toml")}:4`);
  expect(origin("executor.maxTurns")).toBe("default");
});

test("what is listed for people holds no secret", () => {
  const read = readSettings({
    HOLDFAST_HOME: home,
    HOLDFAST_TOKEN: "tell-nobody",
    HOLDFAST_DATABASE_URL: "postgres://me:hush@db.example/holdfast",
  });
  if (!read.ok) throw new Error(read.faults);
  expect(read.settings.token).toBe("tell-nobody");
  const text = JSON.stringify(read.settings.listed);
  expect(text).not.toContain("tell-nobody");
  expect(text).not.toContain("hush");
  expect(text).toContain("db.example/holdfast");
});

test("the longest token that can be sent is taken, and one that can't is refused without showing it", () => {
  const read = (token: string) => readSettings({ HOLDFAST_HOME: home, HOLDFAST_TOKEN: token });
  expect(read("~".repeat(500)).ok).toBe(true);
  const refused = read("tell nobody");
  expect(refused.ok ? "" : refused.faults).not.toContain("nobody");
});

test("a home keeps the id of its host, whatever the machine is called later", async () => {
  const hostId = (env: Record<string, string> = {}) => {
    const read = readSettings({ HOLDFAST_HOME: home, ...env });
    return read.ok ? read.settings.hostId : read.faults;
  };
  const first = hostId();
  await keepHostId(home);
  expect(hostId()).toBe(first);
  writeFileSync(join(home, "host-id"), "its-old-name\n");
  await keepHostId(home);
  expect(hostId()).toBe("its-old-name");
  expect(hostId({ HOLDFAST_HOST_ID: "named" })).toBe("named");
});

test.each([
  [{ HOLDFAST_PORT: "http" }, {}, "HOLDFAST_PORT"],
  [{ HOLDFAST_PORT: "70000" }, {}, "HOLDFAST_PORT"],
  [{}, { port: 1.5 }, "--port"],
  [{}, { behindProxy: "holdfast.example" }, "--behind-proxy"],
  [{}, { behindProxy: "https://holdfast.example:99999" }, "--behind-proxy"],
  [{}, { behindProxy: "https://me@holdfast.example" }, "--behind-proxy"],
  [{ HOLDFAST_DATABASE_URL: "mysql://x" }, {}, "HOLDFAST_DATABASE_URL"],
  [{ HOLDFAST_TOKEN: "two words" }, {}, "HOLDFAST_TOKEN has a space"],
  [{ HOLDFAST_TOKEN: "schlüssel" }, {}, "HOLDFAST_TOKEN has a space or another character"],
  [{ HOLDFAST_TOKEN: "x".repeat(501) }, {}, "HOLDFAST_TOKEN has 501 characters"],
])("%j with %j is refused by name", (env, flags, name) => {
  const read = readSettings({ HOLDFAST_HOME: home, ...env }, flags);
  expect(read.ok ? "" : read.faults).toContain(name);
});
