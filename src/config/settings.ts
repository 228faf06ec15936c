// What is in force and where it came from: a flag wins over the environment, that over config.toml, that over the default.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { readHostId } from "./host-id.ts";
import { describeFaults, readConfig, type ReadConfig } from "./read-config.ts";
import type { Config } from "./schema.ts";

export type Flags = { port?: number; host?: string; behindProxy?: string };

export type Settings = {
  home: string;
  /** PostgreSQL instead of the file in `home`. */
  databaseUrl: string | undefined;
  host: string;
  port: number;
  /**
   * Which machine this is, for a database that several share: work stays where its files and its processes are. So two
   * servers that call themselves the same must have one home.
   */
  hostId: string;
  /** Where servers on other hosts of the same database reach this one; undefined when it can't be told. */
  nodeUrl: string | undefined;
  /** A fixed bearer token, for automation and tests. */
  token: string | undefined;
  /** The origin that browsers see when a proxy stands in front. */
  behindProxy: string | undefined;
  hosts: string[];
  tls: { cert: string; key: string } | undefined;
  logLevel: Config["server"]["logLevel"];
  config: Config;
  /** All of it as text, for `holdfast doctor`; secrets are not in it. */
  listed: Listed[];
};

export type Listed = { name: string; value: string; origin: string };

export type ReadSettings = { ok: true; settings: Settings } | { ok: false; faults: string };

/** As src/server/access.ts reads it. */
const TOKEN_CHARS_MAX = 500;

type Env = Readonly<Record<string, string | undefined>>;

export function readSettings(env: Env, flags: Flags = {}): ReadSettings {
  const home = resolve(present(env["HOLDFAST_HOME"]) ?? join(homedir(), ".holdfast"));
  const file = join(home, "config.toml");
  const read = readConfig(file);
  if (!read.ok) return { ok: false, faults: describeFaults(file, read.faults) };
  const { config } = read;

  const listed: Listed[] = [
    { name: "home", value: home, origin: present(env["HOLDFAST_HOME"]) ? "HOLDFAST_HOME" : "default" },
  ];
  const choose = <T>(name: string, options: Choice<T>): T => {
    const [value, origin] = chosen(options, read, file);
    listed.push({ name, value: shown(value), origin });
    return value;
  };

  const envPort = present(env["HOLDFAST_PORT"]);
  if (envPort !== undefined && !isPort(Number(envPort)))
    return { ok: false, faults: `HOLDFAST_PORT is "${envPort}"; it must be a port from 0 to 65535` };
  if (flags.port !== undefined && !isPort(flags.port))
    return { ok: false, faults: `--port is ${flags.port}; it must be a port from 0 to 65535` };
  const { server } = config;
  const host = choose("host", {
    flag: ["--host", flags.host],
    env: ["HOLDFAST_HOST", present(env["HOLDFAST_HOST"])],
    key: ["server", "host"],
    value: server.host,
  });
  const port = choose("port", {
    flag: ["--port", flags.port],
    env: ["HOLDFAST_PORT", envPort === undefined ? undefined : Number(envPort)],
    key: ["server", "port"],
    value: server.port,
  });
  const behindProxy = choose("behindProxy", {
    flag: ["--behind-proxy", flags.behindProxy],
    key: ["server", "behindProxy"],
    value: server.behindProxy,
  });
  if (behindProxy !== undefined && !isOrigin(behindProxy))
    return {
      ok: false,
      faults: `--behind-proxy is "${behindProxy}"; it must be the origin that browsers see, such as https://holdfast.example`,
    };
  const databaseUrl = present(env["HOLDFAST_DATABASE_URL"]);
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl))
    return { ok: false, faults: "HOLDFAST_DATABASE_URL must begin with postgres://" };
  listed.push(
    databaseUrl === undefined
      ? { name: "store", value: join(home, "holdfast.db"), origin: "default" }
      : { name: "store", value: withoutPassword(databaseUrl), origin: "HOLDFAST_DATABASE_URL" },
  );
  const ownId = present(env["HOLDFAST_HOST_ID"]);
  const hostId = ownId ?? readHostId(home);
  listed.push({
    name: "hostId",
    value: hostId,
    origin: ownId === undefined ? join(home, "host-id") : "HOLDFAST_HOST_ID",
  });
  const token = present(env["HOLDFAST_TOKEN"]);
  const unsendable = token === undefined ? undefined : tokenFault(token);
  if (unsendable !== undefined) return { ok: false, faults: `HOLDFAST_TOKEN ${unsendable}` };
  listed.push({
    name: "token",
    value: token === undefined ? "none" : "set",
    origin: token === undefined ? "default" : "HOLDFAST_TOKEN",
  });
  const hosts = choose("hosts", { key: ["server", "hosts"], value: server.hosts });
  const tls = choose("tls", { key: ["server", "tls"], value: server.tls });
  const ownUrl = present(env["HOLDFAST_NODE_URL"]);
  if (ownUrl !== undefined && !isOrigin(ownUrl))
    return {
      ok: false,
      faults: `HOLDFAST_NODE_URL is "${ownUrl}"; it must be an origin such as http://10.0.0.5:4180`,
    };
  const nodeUrl = ownUrl ?? addressOf(host, port, tls !== undefined);
  listed.push({
    name: "nodeUrl",
    value: nodeUrl ?? "none",
    origin: ownUrl === undefined ? "host and port" : "HOLDFAST_NODE_URL",
  });
  const logLevel = choose("logLevel", { key: ["server", "logLevel"], value: server.logLevel });
  for (const [table, value] of Object.entries(config))
    if (table !== "server") listed.push(...listTable(table, value, read, file));

  return {
    ok: true,
    settings: {
      home,
      databaseUrl,
      host,
      port,
      hostId,
      nodeUrl,
      token,
      behindProxy,
      hosts,
      tls,
      logLevel,
      config,
      listed,
    },
  };
}

/** It goes in a header, where the server looks for no other: as itself it is never shown. */
function tokenFault(token: string): string | undefined {
  if (token.length > TOKEN_CHARS_MAX)
    return `has ${token.length} characters; it may have ${TOKEN_CHARS_MAX} at most`;
  if (!/^[\x21-\x7e]+$/.test(token))
    return "has a space or another character that can't be sent in a header; it may have letters from a to z, digits and signs of ASCII";
  return undefined;
}

/** An address that means "all of them", or a port that is still to be found, is none that others can open. */
function addressOf(host: string, port: number, isTls: boolean): string | undefined {
  if (host === "0.0.0.0" || host === "::" || port === 0) return undefined;
  return `${isTls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

type Choice<T> = {
  flag?: [name: string, value: T | undefined];
  env?: [name: string, value: T | undefined];
  key: string[];
  value: T;
};
type ConfigRead = Extract<ReadConfig, { ok: true }>;

function chosen<T>(options: Choice<T>, read: ConfigRead, file: string): [T, string] {
  if (options.flag?.[1] !== undefined) return [options.flag[1], options.flag[0]];
  if (options.env?.[1] !== undefined) return [options.env[1], options.env[0]];
  return [options.value, originOf(read, file, options.key)];
}

function originOf(read: ConfigRead, file: string, key: string[]): string {
  const line = read.lineOf(key);
  return line === undefined ? "default" : `${file}:${line}`;
}

/** Down to what can be written on one line; an empty table says nothing and is left out. */
function listTable(name: string, value: unknown, read: ConfigRead, file: string, path = [name]): Listed[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [{ name: path.join("."), value: shown(value), origin: originOf(read, file, path) }];
  return Object.entries(value).flatMap(([key, inner]) => listTable(name, inner, read, file, [...path, key]));
}

function shown(value: unknown): string {
  if (value === undefined) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function withoutPassword(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "set";
  if (parsed.password !== "") parsed.password = "…";
  return decodeURI(parsed.href);
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#@\s]+$/.test(text) && URL.canParse(text);
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 0 && port <= 65_535;
}

/** A variable that is set to nothing is one that is not set. */
function present(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
