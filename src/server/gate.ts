// Who may speak to this address at all: the Host must be one of ours (a name that was rebound to us is not), and what a
// browser sends from a page must come from our own page, port included. Credentials are looked at only behind this.
import type { IncomingHttpHeaders } from "node:http";
import { domainToASCII } from "node:url";
import { problem, type Problem } from "../protocol/problem.ts";

export type GateOptions = {
  host: string;
  /** Further names, with a port unless it is the server's own. */
  hosts?: readonly string[];
  /** The origin that browsers see when a proxy stands in front. */
  behindProxy?: string | undefined;
  https?: boolean;
};

export class Gate {
  readonly #options: GateOptions;
  #hosts: ReadonlySet<string> = new Set();
  #origins: ReadonlySet<string> = new Set();
  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** The port is known only once the server listens. */
  listensOn(port: number): void {
    const { host, behindProxy, https = false } = this.#options;
    const further = (this.#options.hosts ?? []).map(asSent);
    const scheme = https ? "https" : "http";
    const usual = https ? 443 : 80;
    const names = [inUrl(host).toLowerCase(), "localhost", "127.0.0.1", "[::1]", ...further];
    const own = names.flatMap((name) => {
      if (hasPort(name)) return [name];
      return port === usual || further.includes(name) ? [name, `${name}:${port}`] : [`${name}:${port}`];
    });
    // As browsers write it: without the usual port, and an international name in its ASCII form.
    const front = behindProxy === undefined ? [] : [new URL(behindProxy)];
    this.#hosts = new Set([...own, ...front.map((url) => url.host)]);
    this.#origins = new Set([...own.map((name) => `${scheme}://${name}`), ...front.map((url) => url.origin)]);
  }

  hostRefusal({ host }: IncomingHttpHeaders): Problem | undefined {
    if (host !== undefined && this.#hosts.has(host.toLowerCase())) return undefined;
    return problem(
      "wrong_host",
      `"${host ?? ""}" is not a name of this server. If it should be, add it to hosts under [server] in config.toml.`,
    );
  }

  /** A program sends neither header and is judged by its credential alone. */
  originRefusal(headers: IncomingHttpHeaders): Problem | undefined {
    const { origin } = headers;
    const site = headers["sec-fetch-site"];
    if (origin !== undefined ? this.#origins.has(origin.toLowerCase()) : isOwnSite(site)) return undefined;
    return problem(
      "forbidden",
      `A page of ${origin ?? `another site (${String(site)})`} may not use this server; only its own pages may.`,
    );
  }
}

function isOwnSite(site: string | string[] | undefined): boolean {
  return site === undefined || site === "same-origin" || site === "none"; // none: typed into the address bar
}

/** An IPv6 address stands in brackets wherever a port may follow. */
export function inUrl(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** International names go over the wire in their ASCII form. */
function asSent(name: string): string {
  const port = /:\d+$/.exec(name)?.[0] ?? "";
  const bare = name.slice(0, name.length - port.length);
  return `${domainToASCII(bare) || bare}${port}`.toLowerCase();
}

function hasPort(name: string): boolean {
  return /:\d+$/.test(name); // a bare IPv6 address ends with its bracket
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
