// What every route works with, made once by server.ts.
import type { FastifyBaseLogger } from "fastify";
import type { Ids } from "../session/ids.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { Credential, Store } from "../store/store.ts";
import type { Access } from "./access.ts";
import type { Feeds } from "./feed.ts";
import type { Gate } from "./gate.ts";
import type { KnownDamage } from "./known-damage.ts";
import type { Metrics } from "./metrics.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { KnownAgents } from "./profiles.ts";

export type Context = {
  store: Store;
  version: string;
  ids: Ids;
  now: () => number;
  randomBytes: (count: number) => Uint8Array;
  log: FastifyBaseLogger;
  gate: Gate;
  access: Access;
  streams: OpenStreams;
  feeds: Feeds;
  damage: KnownDamage;
  metrics: Metrics;
  limits: Limits;
  /** What must not come in with what agents said elsewhere. */
  secrets: Secrets;
  agents: (() => KnownAgents | undefined) | undefined;
  /** Where pages are reached, as a browser would write it; known once the server listens. */
  url: () => string;
  /** Why the server is not ready for new work, if so. */
  closing: () => boolean;
};

export type Limits = {
  /** Whoever takes longer to send a header is not a client but a weight. */
  headerMs: number;
  /** Within which a whole request arrives: 25 MB over a slow line. */
  requestMs: number;
  heartbeatMs: number;
  /** How long whoever asks for the agents waits until they are loaded. */
  agentsMs: number;
  /** How often the credential of an open stream is looked up again. */
  recheckMs: number;
  longPollMs: number;
  /** How much may wait for a reader that does not read. */
  queueBytes: number;
  /** How long such a reader has to catch up, or to take anything at all of an answer. */
  stuckMs: number;
  /** Server-sent events and long polls together. */
  streamsPerCredential: number;
  socketsPerCredential: number;
  attachmentsPerSocket: number;
};

export const LIMITS: Limits = {
  headerMs: 15_000,
  requestMs: 300_000,
  heartbeatMs: 10_000,
  agentsMs: 10_000,
  recheckMs: 30_000,
  longPollMs: 25_000,
  queueBytes: 1 << 20,
  stuckMs: 30_000,
  streamsPerCredential: 4_000,
  socketsPerCredential: 64,
  attachmentsPerSocket: 200,
};

declare module "fastify" {
  interface FastifyRequest {
    /** Who asks. Set before any handler runs but on the few routes that are open to all. */
    caller: Credential;
  }
  interface FastifyContextConfig {
    /** Answers without a credential. The list of these is literal, in auth.test.ts. */
    open?: true;
    /** Only says which methods the address has. */
    notAllowed?: true;
  }
}
