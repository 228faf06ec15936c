// Who is asking. A secret comes as a bearer token or in the login's cookie, never in a URL; only its hash is compared.
// What the store said is believed for a few seconds, so that a request costs no database read, and is forgotten at once
// when the credential is revoked: then its open streams are closed too.
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyBaseLogger } from "fastify";
import type { By } from "../session/event.ts";
import type { Credential, Store } from "../store/store.ts";
import type { OpenStreams } from "./open-streams.ts";

export const LOGIN_TTL_MS = 30 * 24 * 3600_000;
/** Also the longest that a revocation which went unheard can go unnoticed for new requests. */
const BELIEVED_MS = 5_000;
const BELIEVED_MAX = 10_000;
const REVOKED_KEPT = 1_000;

export const FIXED_TOKEN_ID = "HOLDFAST_TOKEN";

export type AccessOptions = {
  store: Store;
  streams: OpenStreams;
  /** A fixed bearer token, for automation and tests. */
  fixedToken?: string | undefined;
  now: () => number;
  /** How often the credential of an open stream, which makes no requests, is looked up again: a login may run out. */
  recheckMs: number;
  log: FastifyBaseLogger;
};

export class Access {
  /** Named after the store: cookies know no ports, and two servers on one machine must not log each other out. */
  readonly cookie: string;
  readonly #options: AccessOptions;
  readonly #fixedHash: string | undefined;
  readonly #believed = new Map<string, { credential: Credential; until: number }>();
  /** By id: with what an open stream's credential is looked up again. */
  readonly #hashes = new Map<string, string>();
  readonly #revoked = new Set<string>();
  readonly #life = new AbortController();
  #revocations = 0;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.cookie = `holdfast_${options.store.id.slice(-8)}`;
    if (options.fixedToken !== undefined) this.#fixedHash = hashOf(options.fixedToken);
    void this.#heedRevocations();
    const timer = setInterval(() => void this.#recheck(), options.recheckMs).unref();
    this.#life.signal.addEventListener("abort", () => clearInterval(timer));
  }

  close(): void {
    this.#life.abort();
  }

  async credentialOf(headers: IncomingHttpHeaders): Promise<Credential | undefined> {
    const secret = secretOf(headers, this.cookie);
    if (secret === undefined) return undefined;
    const hash = hashOf(secret);
    if (hash === this.#fixedHash)
      return { id: FIXED_TOKEN_ID, person: "owner", kind: "person", device: FIXED_TOKEN_ID };
    const believed = this.#believed.get(hash);
    if (believed !== undefined && believed.until > this.#options.now()) return believed.credential;
    return this.#ask(hash);
  }

  /** Revoked since it was looked at: the last question before a stream is opened with it. */
  isRevoked(credential: Credential): boolean {
    return this.#revoked.has(credential.id);
  }

  async #ask(hash: string): Promise<Credential | undefined> {
    const revocations = this.#revocations;
    const credential = await this.#options.store.credential(hash, LOGIN_TTL_MS);
    if (credential === undefined) {
      this.#believed.delete(hash);
      return undefined;
    }
    if (this.#revoked.has(credential.id)) return undefined;
    // An answer from before a revocation may be about what was revoked.
    if (revocations === this.#revocations) this.#believe(hash, credential);
    return credential;
  }

  #believe(hash: string, credential: Credential): void {
    if (this.#believed.size >= BELIEVED_MAX) this.#believed.clear();
    this.#believed.set(hash, { credential, until: this.#options.now() + BELIEVED_MS });
    this.#hashes.set(credential.id, hash);
  }

  async #heedRevocations(): Promise<void> {
    try {
      for await (const id of this.#options.store.revocations(this.#life.signal)) this.#revoke(id);
    } catch (error) {
      // The recheck still finds what is revoked from now on, only later.
      this.#options.log.error({ err: error }, "revocations can no longer be heard");
    }
  }

  #revoke(id: string): void {
    this.#revocations++;
    this.#revoked.add(id);
    const [oldest] = this.#revoked;
    if (this.#revoked.size > REVOKED_KEPT && oldest !== undefined) this.#revoked.delete(oldest);
    for (const [hash, { credential }] of this.#believed)
      if (credential.id === id) this.#believed.delete(hash);
    this.#hashes.delete(id);
    this.#options.streams.closeOf(id);
  }

  async #recheck(): Promise<void> {
    const { store, streams, log } = this.#options;
    const open = new Set(streams.credentials());
    for (const [id, hash] of this.#hashes) {
      if (!open.has(id)) {
        this.#hashes.delete(id);
        continue;
      }
      try {
        if ((await store.credential(hash, LOGIN_TTL_MS)) === undefined) this.#revoke(id);
      } catch (error) {
        log.warn({ err: error }, "a credential could not be checked again");
        return;
      }
    }
  }
}

export function secretOf(headers: IncomingHttpHeaders, cookie: string): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) return /^Bearer ([\x21-\x7e]{1,500})$/i.exec(authorization)?.[1];
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [name = "", value = ""] = pair.trim().split("=", 2);
    if (name === cookie && value !== "") return value;
  }
  return undefined;
}

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Whom the log names as the author of what this credential does. */
export function authorOf({ person, kind, device }: Credential): By {
  return { person, device, ...(kind === "program" && { program: true as const }) };
}
