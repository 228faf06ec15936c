// The server: one Fastify application over a store. It admits, shows and streams; it never waits for an agent.
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type RouteOptions,
} from "fastify";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { makeIds } from "../session/ids.ts";
import { NO_SECRETS, type Secrets } from "../secret/secrets.ts";
import type { DamagedEvent, Store } from "../store/store.ts";
import { Access } from "./access.ts";
import { askRoutes } from "./asks.ts";
import { auditRoutes } from "./audit.ts";
import { guard } from "./auth.ts";
import { backupRoutes, sweepBackups } from "./backup.ts";
import { checkRoutes } from "./check.ts";
import { LIMITS, type Context, type Limits } from "./context.ts";
import { answerClientError, answerError, sendProblem, problemOf } from "./errors.ts";
import { eventRoutes } from "./events.ts";
import { exportRoutes } from "./export.ts";
import { Feeds } from "./feed.ts";
import { fileRoutes } from "./files.ts";
import { Gate, inUrl, isLoopback } from "./gate.ts";
import { KnownDamage } from "./known-damage.ts";
import { importRoutes } from "./import.ts";
import { inputRoutes } from "./inputs.ts";
import { takeJsonBodies } from "./json-body.ts";
import { lineageRoutes } from "./lineage.ts";
import { loginRoutes, makeLoginLink } from "./login.ts";
import { makeMetrics } from "./metrics.ts";
import { refuseOtherMethods } from "./not-allowed.ts";
import { OpenStreams } from "./open-streams.ts";
import { operationRoutes } from "./operation.ts";
import { overviewRoutes } from "./overview.ts";
import { processRoutes } from "./processes.ts";
import { profileRoutes, type KnownAgents } from "./profiles.ts";
import { queueRoutes } from "./queue.ts";
import { retryRoutes } from "./retry.ts";
import { cutRevokedReaders } from "./revoked-readers.ts";
import { ruleRoutes } from "./rules.ts";
import { searchRoutes } from "./search.ts";
import { sessionRoutes } from "./sessions.ts";
import { acceptSockets, isSocketRequest, socketRoutes } from "./socket.ts";
import { StaticFiles } from "./static.ts";
import { moveRoutes } from "./move.ts";
import { stopRoutes } from "./stop.ts";
import { cutStuckReaders } from "./stuck-readers.ts";
import { tokenRoutes } from "./tokens.ts";
import { usageRoutes } from "./usage.ts";
import { zodCompilers, type App, type Zod } from "./zod.ts";

export type ServerOptions = {
  store: Store;
  version: string;
  host: string;
  port: number;
  /** Further names of this server. */
  hosts?: readonly string[];
  /** The origin that browsers see when a proxy stands in front. */
  behindProxy?: string | undefined;
  tls?: { cert: string | Buffer; key: string | Buffer } | undefined;
  /** A fixed bearer token. */
  token?: string | undefined;
  /** Where the built dashboard lies. */
  webFolder: string;
  /** Where a backup lies while it is sent, in a folder of its own; at the start only such folders are removed. */
  backupFolder: string;
  /** Undefined until they are known; without it any profile and model may be named. */
  agents?: () => KnownAgents | undefined;
  secrets?: Secrets;
  log: FastifyBaseLogger;
  now: () => number;
  randomBytes: (count: number) => Uint8Array;
  limits?: Partial<Limits>;
};

export type RunningServer = {
  /** As a browser reaches it. */
  url: string;
  /** As a program on this machine reaches it, past any proxy. */
  localUrl: string;
  port: number;
  /** Everything that it answers, for the test that asks all of it without a credential. */
  routes: readonly RouteOptions[];
  loginLink(person: string): ReturnType<typeof makeLoginLink>;
  /** Found by who would have gone on with a session. */
  foundDamage(damage: DamagedEvent): void;
  /**
   * No new work, streams ended cleanly, what is being answered answered. Until `others` have ended too, whoever comes is told
   * so: a connection that is refused would look like a server that is gone.
   */
  close(others?: Promise<unknown>): Promise<void>;
};

const BODY_MAX_BYTES = 1 << 20;
const HEADER_MAX_BYTES = 16 * 1024;
const ANSWER_WITHIN_MS = 3_000;
const CONNECTIONS_MAX = 20_000;

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  refuseOpenBind(options);
  const app = newApp(options);
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => void routes.push(route));

  const state = { isClosing: false, url: "" };
  const context = makeContext(options, state);
  cutStuckReaders(app, context);
  const inFlight = guard(app, context);
  cutRevokedReaders(app, context);
  addRoutes(app, context, options, routes);
  const closeSockets = acceptSockets(app.server as Server, context);
  const heartbeat = setInterval(() => context.streams.heartbeat(), context.limits.heartbeatMs).unref();

  await sweepBackups(options.store, options.backupFolder, options.log);
  await listen(app, options);
  const { port } = app.server.address() as AddressInfo; // it listens on TCP
  app.server.maxConnections = CONNECTIONS_MAX;
  context.gate.listensOn(port);
  const localUrl = localUrlOf(options, port);
  state.url = options.behindProxy ?? localUrl;

  return {
    url: state.url,
    localUrl,
    port,
    routes,
    loginLink: (person) => makeLoginLink(context, person),
    foundDamage: (damage) => context.damage.note(damage),
    async close(others) {
      if (state.isClosing) return;
      state.isClosing = true;
      clearInterval(heartbeat);
      context.streams.closeAll();
      await Promise.allSettled([others, inFlight.empty(ANSWER_WITHIN_MS)]);
      await closeSockets();
      context.access.close();
      context.metrics.close();
      await app.close();
    },
  };
}

/** Without Fastify's own word about it, one for each address: who started us says where we are. */
async function listen(app: App, { host, port }: ServerOptions): Promise<void> {
  const { level } = app.log;
  app.log.level = "warn";
  await app.listen({ host, port });
  app.log.level = level;
}

export class BindRefused extends Error {}

/** Loopback is not trust, but beyond it a password would cross the network in the clear. */
function refuseOpenBind({ host, tls, behindProxy }: ServerOptions): void {
  if (isLoopback(host) || tls !== undefined || behindProxy !== undefined) return;
  throw new BindRefused(
    `holdfast does not listen on ${host} without TLS: credentials would cross the network in the clear. ` +
      "Give it a certificate ([server.tls] in config.toml), put a TLS proxy in front (--behind-proxy https://…), " +
      "or listen on 127.0.0.1.",
  );
}

function newApp({ log, tls, limits }: ServerOptions): App {
  const { headerMs, requestMs } = { ...LIMITS, ...limits };
  const common = {
    loggerInstance: log.child({}), // whose level is its own, see listen()
    logController: new LogController({ disableRequestLogging: true }),
    schemaController: zodCompilers,
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: requestMs,
    forceCloseConnections: true,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: FastifyError, _: unknown, reply: FastifyReply) =>
      void sendProblem(reply, problemOf(error)),
    routerOptions: { maxParamLength: HEADER_MAX_BYTES }, // an id that is too long is one that is not there
  };
  const http = {
    maxHeaderSize: HEADER_MAX_BYTES,
    headersTimeout: headerMs,
    connectionsCheckingInterval: headerMs / 3, // how exact the two are
    shouldUpgradeCallback: isSocketRequest,
  };
  // The two differ in the type of their server only, and nothing here looks at that.
  const app =
    tls === undefined ? Fastify({ ...common, http }) : Fastify({ ...common, https: { ...http, ...tls } });
  return (app as unknown as FastifyInstance).withTypeProvider<Zod>();
}

function makeContext(options: ServerOptions, state: { isClosing: boolean; url: string }): Context {
  const { store, version, now, randomBytes, log, token: fixedToken } = options;
  const limits = { ...LIMITS, ...options.limits };
  const streams = new OpenStreams();
  const damage = new KnownDamage(store);
  const feeds = new Feeds({
    store,
    now,
    onError(error, id) {
      damage.note(error);
      log.error({ err: error, log: id }, "a log can no longer be followed");
    },
  });
  const gate = new Gate({
    host: options.host,
    hosts: options.hosts ?? [],
    behindProxy: options.behindProxy,
    https: options.tls !== undefined,
  });
  return {
    store,
    version,
    ids: makeIds(now, randomBytes),
    now,
    randomBytes,
    log,
    gate,
    access: new Access({ store, streams, fixedToken, now, recheckMs: limits.recheckMs, log }),
    streams,
    feeds,
    damage,
    metrics: makeMetrics(store, streams, () => feeds.size),
    limits,
    secrets: options.secrets ?? NO_SECRETS,
    agents: options.agents,
    url: () => state.url,
    closing: () => state.isClosing,
  };
}

function addRoutes(
  app: App,
  context: Context,
  options: ServerOptions,
  routes: readonly RouteOptions[],
): void {
  app.setErrorHandler((error, request, reply) => {
    context.damage.note(error);
    return answerError(error, request, reply);
  });
  takeJsonBodies(app);
  const files = new StaticFiles(options.webFolder);
  app.setNotFoundHandler((request, reply) => files.answer(request, reply));

  operationRoutes(app, context);
  sessionRoutes(app, context);
  inputRoutes(app, context);
  queueRoutes(app, context);
  stopRoutes(app, context);
  retryRoutes(app, context);
  moveRoutes(app, context);
  lineageRoutes(app, context);
  askRoutes(app, context);
  ruleRoutes(app, context);
  auditRoutes(app, context);
  usageRoutes(app, context);
  processRoutes(app, context);
  profileRoutes(app, context);
  eventRoutes(app, context);
  exportRoutes(app, context);
  importRoutes(app, context);
  searchRoutes(app, context);
  fileRoutes(app, context);
  overviewRoutes(app, context);
  tokenRoutes(app, context);
  loginRoutes(app, context, options.behindProxy !== undefined);
  backupRoutes(app, context, options.backupFolder);
  checkRoutes(app, context);
  socketRoutes(app);

  let document: string | undefined;
  const schema = { summary: "This description", answers: { 200: ["application/json"] } };
  app.get("/openapi.json", { schema }, async (_, reply) => {
    document ??= JSON.stringify((await import("./openapi.ts")).openapi(routes, context.version));
    return reply.type("application/json").send(document);
  });
  // As the last plugin, so that it sees the routes of those before it.
  void app.register((scope: App, _, done) => {
    refuseOtherMethods(scope, [...routes]);
    done();
  });
}

function localUrlOf({ host, tls }: ServerOptions, port: number): string {
  // The address that means "all of them" is none that can be opened.
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : inUrl(host);
  return `${tls === undefined ? "http" : "https"}://${name}:${port}`;
}
