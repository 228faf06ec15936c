// `holdfast serve` as a process: what it leaves in its home, what it says, how it begins and ends.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { freePort, startServer, type ServerOptions, type ServerProcess } from "./server-process.ts";

const launcher = fileURLToPath(new URL("../bin/launch.cjs", import.meta.url));
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

test("it leaves its address and a token for the command line, readable by its owner alone", async () => {
  const server = await serve();
  const file = JSON.parse(await readFile(join(server.home, "server.json"), "utf8")) as Record<
    string,
    unknown
  >;
  expect(file).toMatchObject({ url: server.url, pid: server.pid });
  for (const name of ["server.json", "cli-token"])
    expect((await stat(join(server.home, name))).mode & 0o777).toBe(0o600);
  const token = (await readFile(join(server.home, "cli-token"), "utf8")).trim();
  const me = await fetch(`${server.url}/api/me`, { headers: { authorization: `Bearer ${token}` } });
  expect(await me.json()).toMatchObject({ person: "owner", kind: "person" });

  await server.kill("SIGKILL");
  await server.start();
  expect((await readFile(join(server.home, "cli-token"), "utf8")).trim()).toBe(token);
});

test("the link that it prints logs a browser in, once, and the login survives a restart", async () => {
  const server = await serve();
  const link = await vi.waitFor(() => {
    const printed = /http:\S+\/login#(\S+)/.exec(server.output);
    expect(printed).not.toBeNull();
    return printed;
  });
  const login = () =>
    fetch(`${server.url}/api/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ secret: link?.[1] }),
    });
  const first = await login();
  expect(first.status).toBe(200);
  expect((await login()).status).toBe(401);
  const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
  await server.kill("SIGKILL");
  await server.start();
  expect((await fetch(`${server.url}/api/me`, { headers: { cookie } })).status).toBe(200);
});

test("what is for a person stands last, and where it listens is said once", async () => {
  const server = await serve();
  await vi.waitFor(() => expect(server.output).toContain("/login#"));
  const lines = server.output.trimEnd().split("\n");
  const isForPersons = (line: string) => !line.startsWith("{");
  expect(lines.slice(lines.findIndex(isForPersons)).every(isForPersons)).toBe(true);
  expect(lines.filter((line) => !isForPersons(line) && line.includes(server.url))).toHaveLength(1);
});

test("with --json it says the same in one line of JSON", async () => {
  const server = await serve({ args: ["--json"] });
  const printed = await vi.waitFor(() => {
    const line = server.output.split("\n").find((each) => each.includes("/login#"));
    expect(line).toBeDefined();
    return line ?? "";
  });
  expect(server.output).not.toContain("Log in once");
  expect(JSON.parse(printed)).toEqual({
    version: expect.any(String) as string,
    url: server.url,
    store: { dialect: "sqlite", home: server.home },
    ready: true,
    login: {
      url: expect.stringContaining(`${server.url}/login#`) as string,
      expiresAt: expect.any(String) as string,
    },
  });
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "on %s it ends in an orderly way, streams and all",
  async (signal) => {
    const server = await serve();
    const created = await server.fetch("/api/sessions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    const { id } = (await created.json()) as { id: string };
    const stream = await server.fetch(`/api/sessions/${id}/events?offset=-1&live=sse`);
    const ended = stream.text();
    await server.kill(signal);
    expect(await ended).toContain("session_created"); // an end, not a broken connection
    await expect(stat(join(server.home, "server.json"))).rejects.toThrow("ENOENT");
    expect(server.output).toContain('"shutting down"');
  },
);

test.each([
  [
    "a mistake in the configuration",
    2,
    { config: "[server]\nprot = 1\n" },
    /config\.toml:2: server\.prot: .*did you mean "port"/,
  ],
  [
    "a certificate that is not there",
    1,
    { config: '[server.tls]\ncert = "c.pem"\nkey = "k.pem"\n' },
    /server\.tls.*c\.pem/,
  ],
  ["a port that is none", 2, { env: { HOLDFAST_PORT: "http" } }, /HOLDFAST_PORT is "http"/],
  ["an origin that is none", 2, { flags: ["--behind-proxy", "here"] }, /--behind-proxy is "here"/],
  ["an address beyond this machine without TLS", 2, { env: { HOLDFAST_HOST: "0.0.0.0" } }, /without TLS/],
])("%s keeps it from starting, and it says so in one line", async (_, exit, start: Start, message) => {
  const { code, stderr } = await serveAndFail(start);
  expect(code).toBe(exit);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain("    at "); // no stack: it is for the person who started it
});

test("a port that is taken keeps it from starting, and it says so", async () => {
  const server = await serve();
  const { code, stderr } = await serveAndFail({ env: { HOLDFAST_PORT: new URL(server.url).port } });
  expect([code, stderr]).toEqual([1, expect.stringContaining("is taken")]);
});

test("a second server on the same home is refused, and the first goes on", async () => {
  const server = await serve();
  const { code, stderr } = await serveAndFail({ home: server.home });
  expect([code, stderr]).toEqual([4, expect.stringMatching(/in use|another/i)]);
  const asJson = await serveAndFail({ home: server.home, flags: ["--json"] });
  expect(asJson.code).toBe(4);
  expect(JSON.parse(asJson.stderr)).toMatchObject({ code: "conflict", status: 409 });
  expect((await server.fetch("/api/sessions")).status).toBe(200);
  const file = JSON.parse(await readFile(join(server.home, "server.json"), "utf8")) as Record<
    string,
    unknown
  >;
  expect(file["pid"]).toBe(server.pid);
});

type Start = { config?: string; env?: Record<string, string>; home?: string; flags?: string[] };

async function serve(options?: ServerOptions): Promise<ServerProcess> {
  const server = await startServer(options);
  cleanups.push(() => server.remove());
  return server;
}

async function serveAndFail({
  config,
  env = {},
  home,
  flags = [],
}: Start): Promise<{ code: number | null; stderr: string }> {
  const ownHome = home ?? (await mkdtemp(join(tmpdir(), "holdfast-home-")));
  if (home === undefined) cleanups.push(() => rm(ownHome, { recursive: true }));
  if (config !== undefined) await writeFile(join(ownHome, "config.toml"), config);
  const port = String(await freePort());
  const child = spawn(process.execPath, [launcher, "serve", ...flags], {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      HOLDFAST_HOME: ownHome,
      HOLDFAST_PORT: port,
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stderr };
}
