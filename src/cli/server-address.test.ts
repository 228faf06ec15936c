import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { serverAddress } from "./server-address.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "holdfast-address-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const settings = (host = "127.0.0.1") => ({
  ok: true as const,
  settings: { home, host, port: 4999, listed: [] },
});

test("the environment wins over what the server left, and that over host and port", () => {
  expect(serverAddress({}, settings())).toEqual({
    url: "http://127.0.0.1:4999",
    urlOrigin: "host and port",
    store: undefined,
    token: undefined,
    tokenOrigin: "none",
  });
  writeFileSync(join(home, "server.json"), JSON.stringify({ url: "http://127.0.0.1:5001", store: "sto_1" }));
  writeFileSync(join(home, "cli-token"), "from-the-file\n");
  expect(serverAddress({}, settings())).toMatchObject({
    url: "http://127.0.0.1:5001",
    store: "sto_1",
    token: "from-the-file",
  });
  const env = { HOLDFAST_URL: "https://elsewhere.example/", HOLDFAST_TOKEN: "from-the-environment" };
  expect(serverAddress(env, settings())).toEqual({
    url: "https://elsewhere.example",
    urlOrigin: "HOLDFAST_URL",
    store: undefined, // whoever names a server may mean another than that of this home
    token: "from-the-environment",
    tokenOrigin: "HOLDFAST_TOKEN",
  });
});

test("a server that listens everywhere is reached on this machine", () => {
  expect(serverAddress({}, settings("0.0.0.0")).url).toBe("http://127.0.0.1:4999");
  expect(serverAddress({}, settings("::1")).url).toBe("http://[::1]:4999");
});

test("half a server.json is as good as none", () => {
  writeFileSync(join(home, "server.json"), '{"url": "htt');
  expect(serverAddress({}, settings()).urlOrigin).toBe("host and port");
});

test("an address that is none, and settings with faults, are told as such", () => {
  expect(() => serverAddress({ HOLDFAST_URL: "localhost:4180" }, settings())).toThrow(
    'HOLDFAST_URL says "localhost:4180"',
  );
  expect(() => serverAddress({ HOLDFAST_URL: "http://127.0.0.1:99999" }, settings())).toThrow(
    'HOLDFAST_URL says "http://127.0.0.1:99999"; "99999" is no port',
  );
  expect(() => serverAddress({}, { ok: false, faults: "config.toml:3: port" })).toThrow(
    "config.toml:3: port",
  );
});
