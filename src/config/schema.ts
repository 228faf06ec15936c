// Every key of config.toml, once: its type, its bounds and its default. A key that is not here is a mistake.
import { z } from "zod";

const Minutes = z.number().positive();
const Seconds = z.number().positive();
const Count = z.number().int().min(1);
const EnvName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable, never the secret itself");

const ByteSize = z.union([
  z.number().int().min(0),
  z.string().regex(/^\d+(\.\d+)?\s*(B|KB|MB|GB|TB)$/i, 'must be a number of bytes or a size such as "20GB"'),
]);

const TimeZone = z.string().refine(isTimeZone, 'must be a time zone such as "Europe/Berlin"');

const resetKeys = {
  mode: z.enum(["none", "idle", "daily", "both"]),
  idleMinutes: Minutes,
  atHour: z.number().int().min(0).max(23),
  timeZone: TimeZone,
  holdMaxAgeMinutes: Minutes,
  quietMinutes: Minutes,
  staleProcesses: z.enum(["warn", "stop"]),
};
const Reset = z.strictObject({
  mode: resetKeys.mode.default("none"),
  idleMinutes: resetKeys.idleMinutes.default(120),
  atHour: resetKeys.atHour.default(6),
  /** The machine's own unless it is named. */
  timeZone: resetKeys.timeZone.optional(),
  holdMaxAgeMinutes: resetKeys.holdMaxAgeMinutes.default(120),
  quietMinutes: resetKeys.quietMinutes.default(30),
  staleProcesses: resetKeys.staleProcesses.default("warn"),
});
/** Without defaults: what a lane leaves out comes from [reset]. */
const LaneReset = z.strictObject(resetKeys).partial();

const Rule = z.strictObject({
  tool: z.string().min(1),
  match: z.string().optional(),
  decision: z.enum(["allow", "ask", "deny"]),
});

/** What an agent may be given to work with. */
export const TOOL_NAMES = ["shell", "process", "read", "write", "edit", "search", "ask", "delegate"] as const;
/** Named in the contract, and not there yet: a configuration may name them, and whoever reads it is told. */
export const COMING_TOOLS = ["task"] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

const Profile = z.strictObject({
  driver: z.enum(["builtin", "acp"]).default("builtin"),
  model: z.string().min(1).optional(),
  command: z.array(z.string().min(1)).min(1).optional(),
  instructions: z.string().optional(),
  workspace: z.string().min(1).optional(),
  /** Every host of the database sees the same files there: its sessions may go on on another. */
  sharedWorkspace: z.boolean().default(false),
  tools: z.array(z.enum([...TOOL_NAMES, ...COMING_TOOLS])).default([...TOOL_NAMES]),
  /** Of which MCP servers it has the tools; of all unless it says so. */
  mcp: z.array(z.string()).optional(),
  approvals: z.enum(["ask", "auto", "deny"]).default("ask"),
  rules: z.array(Rule).default([]),
  /** How long its asks wait for an answer; without it for ever. What nobody answered in time is denied. */
  askExpiryMinutes: Minutes.optional(),
  sandbox: z.enum(["auto", "bubblewrap", "none"]).default("auto"),
  sandboxNetwork: z.boolean().default(true),
  passEnv: z.array(EnvName).default([]),
  contextTokens: Count.default(128_000),
  resume: z.enum(["continue", "fork", "fresh"]).optional(),
});

/** A program that is spoken to by its standard input and output, or an address. */
const McpServer = z
  .strictObject({
    command: z.array(z.string().min(1)).min(1).optional(),
    /** Of what the server's environment holds, what that program gets beside the usual. */
    passEnv: z.array(EnvName).default([]),
    url: z.url({ protocol: /^https?$/ }).optional(),
    tokenEnv: EnvName.optional(),
    /** What a crash in the middle of a call means, by the tool's own name, or "*". What is not named here is unsafe. */
    effects: z.record(z.string(), z.enum(["read", "idempotent", "unsafe"])).default({}),
    /** How long a call may be silent. */
    timeoutSeconds: Seconds.max(86_400).default(600),
  })
  .refine(
    ({ command, url }) => (command === undefined) !== (url === undefined),
    "must have either a command or a url",
  )
  .refine(
    ({ command, tokenEnv }) => command === undefined || tokenEnv === undefined,
    "a command gets its token by passEnv; tokenEnv is for a url",
  );
export type McpConfig = z.output<typeof McpServer>;

/** A profile that says nothing: what `default` is without a configuration. */
export const usualProfile = (): ProfileConfig => Profile.parse({});
export type ProfileConfig = z.output<typeof Profile>;

export const Config = z
  .strictObject({
    server: z
      .strictObject({
        host: z.string().min(1).default("127.0.0.1"),
        port: z.number().int().min(0).max(65_535).default(4180),
        /** Further names under which browsers may reach this server, with a port unless it is the server's own. */
        hosts: z.array(z.string().regex(/^[^/\s]+$/, 'must be a host such as "box.local:4180"')).default([]),
        /** The origin that browsers see when a proxy in front of the server speaks TLS. */
        behindProxy: z
          .string()
          .regex(/^https?:\/\/[^/\s]+$/, 'must be an origin such as "https://holdfast.example"')
          .optional(),
        tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).optional(),
        logLevel: z.enum(["debug", "info", "warn", "error"]).default("info"),
      })
      .prefault({}),
    providers: z
      .record(
        z.string(),
        z.strictObject({
          kind: z.enum(["openai-compatible", "openai", "anthropic", "google", "demo"]),
          baseUrl: z.url().optional(),
          apiKeyEnv: EnvName.optional(),
        }),
      )
      .default({}),
    profiles: z.record(z.string(), Profile).default({}),
    mcp: z
      .record(
        z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/, "must be a name of letters, digits and hyphens"),
        McpServer,
      )
      .default({}),
    reset: Reset.prefault({}),
    lanes: z
      .record(z.string(), z.strictObject({ profile: z.string().optional(), reset: LaneReset.optional() }))
      .default({}),
    compaction: z
      .strictObject({
        at: z.number().gt(0).max(1).default(0.75),
        summaryTimeoutSeconds: Seconds.default(120),
        onFailure: z.enum(["keep", "fallback"]).default("keep"),
      })
      .prefault({}),
    executor: z
      .strictObject({
        /** With 0 this node serves, and leaves the work to others. */
        maxTurns: z.int().min(0).max(10_000).default(32),
        maxSteps: Count.default(200),
        maxAgents: Count.default(4),
        agentIdleMinutes: Minutes.default(5),
        retryMinutes: Minutes.default(60),
        leaseSeconds: Seconds.default(15),
      })
      .prefault({}),
    board: z
      .strictObject({
        maxRunning: Count.default(4),
        resume: z.enum(["continue", "fork", "fresh"]).default("continue"),
        maxFailures: Count.default(2),
        timeoutMinutes: Minutes.default(240),
        stallMinutes: Minutes.default(30),
      })
      .prefault({}),
    retention: z
      .strictObject({ days: z.number().positive().default(90), maxBytes: ByteSize.default("20GB") })
      .prefault({}),
    webhooks: z
      .array(
        z.strictObject({
          url: z.url(),
          secretEnv: EnvName.optional(),
          events: z.array(z.string().min(1)).optional(),
        }),
      )
      .default([]),
    prices: z
      .record(
        z.string(),
        z.strictObject({
          input: z.number().min(0),
          output: z.number().min(0),
          cachedInput: z.number().min(0).optional(),
        }),
      )
      .default({}),
  })
  .superRefine(({ profiles, mcp }, context) => {
    const known = Object.keys(mcp);
    for (const [name, profile] of Object.entries(profiles))
      for (const [at, server] of (profile.mcp ?? []).entries())
        if (!known.includes(server))
          context.addIssue({
            code: "custom",
            path: ["profiles", name, "mcp", at],
            message: `there is no [mcp.${server}]; there are: ${known.join(", ") || "none"}`,
          });
  });
export type Config = z.output<typeof Config>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false; // that is how Intl says no
  }
}
