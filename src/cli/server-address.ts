// Which server a command talks to, and with which token: what the environment says, else what the server of this home
// left there, else where one would be.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReadSettings } from "./deps.ts";
import { Failure } from "./exit.ts";

export type ServerAddress = {
  url: string;
  urlOrigin: string;
  /** The store that the server of this home has open, as it wrote down; undefined for a server that was found otherwise. */
  store: string | undefined;
  token: string | undefined;
  tokenOrigin: string;
};

export function serverAddress(env: NodeJS.ProcessEnv, read: ReadSettings): ServerAddress {
  if (!read.ok) throw new Failure("usage", read.faults);
  const { home, host, port } = read.settings;
  const [{ url, store }, urlOrigin] = firstOf<{ url: string; store?: string | undefined }>(
    () => namedUrl(env),
    () => serverOfHome(join(home, "server.json")),
    () => [{ url: `http://${reachable(host)}:${port}` }, "host and port"],
  );
  const [token, tokenOrigin] = firstOf<string | undefined>(
    () => named(env, "HOLDFAST_TOKEN"),
    () => tokenOfHome(join(home, "cli-token")),
    () => [undefined, "none"],
  );
  return { url: checkedUrl(url, urlOrigin), urlOrigin, store, token, tokenOrigin };
}

type Found<T> = readonly [value: T, origin: string];

function firstOf<T>(...places: (() => Found<T> | undefined)[]): Found<T> {
  for (const place of places) {
    const found = place();
    if (found) return found;
  }
  throw new Error("the last place always has something");
}

function named(env: NodeJS.ProcessEnv, name: string): Found<string> | undefined {
  const value = env[name]?.trim();
  return value ? [value, name] : undefined;
}

function namedUrl(env: NodeJS.ProcessEnv): Found<{ url: string }> | undefined {
  const found = named(env, "HOLDFAST_URL");
  return found && [{ url: found[0] }, found[1]];
}

function serverOfHome(file: string): Found<{ url: string; store: string | undefined }> | undefined {
  const text = textOf(file);
  if (text === undefined) return undefined;
  try {
    const { url, store } = JSON.parse(text) as { url?: unknown; store?: unknown };
    if (typeof url !== "string") return undefined;
    return [{ url, store: typeof store === "string" ? store : undefined }, file];
  } catch {
    return undefined; // a server that was killed while it wrote this is not there any more either
  }
}

function tokenOfHome(file: string): Found<string> | undefined {
  const token = textOf(file)?.trim();
  return token ? [token, file] : undefined;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function checkedUrl(url: string, origin: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new Failure("usage", `${origin} says "${url}"; ${faultOf(url)}`);
  return parsed.origin;
}

function faultOf(url: string): string {
  const port = /^https?:\/\/[^/?#]*:([^/?#:\]]+)/i.exec(url)?.[1];
  return port === undefined
    ? "it must be a URL such as http://127.0.0.1:4180"
    : `"${port}" is no port: that is a number from 1 to 65535, such as 4180`;
}

/** A server that listens everywhere is reached here. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
