// What goes over HTTP, written once: the server checks with it, the client is typed by it, /openapi.json is made from it.
import { z } from "zod";
import { DEEDS } from "../session/deed.ts";
import { AskDetail, Attachment, By, Rule } from "../session/event.ts";
import { isPosition, type Position } from "../session/position.ts";
import { ANSWER_MAX_CHARS, FILES_MAX, INPUT_MAX_CHARS, TITLE_MAX_CHARS } from "./limits.ts";

const named = <T extends z.ZodType>(id: string, schema: T): T => schema.meta({ id }) as T;

export const PositionText = named(
  "Position",
  z
    .string()
    .refine(
      (text): text is Position => isPosition(text),
      "must be a position: 16 digits, _, 16 digits",
    ) as unknown as z.ZodType<Position>, // refine does not narrow
);

/**
 * Columns of PostgreSQL can't hold a NUL, so that no store is given one there; half of a surrogate pair no column can, and it
 * is kept as what stands for it there. Texts within events may have both.
 */
const forColumn = (text: z.ZodString) =>
  text
    .overwrite((value) => value.toWellFormed())
    .refine((value) => !value.includes("\0"), "must not have a NUL character");
const Title = forColumn(z.string().trim().min(1).max(TITLE_MAX_CHARS));
const Name = forColumn(z.string().trim().min(1).max(200));
export const FileName = forColumn(z.string().trim().min(1).max(255));

export const StatusName = z.enum(["idle", "queued", "running", "waiting", "recovering", "ended"]);

// --- sessions

/** Of what needs none: who says more than nothing there means something that would not be done. */
export const NoBody = z.strictObject({}).nullish();

export const FileRef = z.object({ file: z.string() });

const InputText = z.string().max(INPUT_MAX_CHARS).regex(/\S/, "must say something");
const FileRefs = z.array(FileRef).max(FILES_MAX);

/**
 * `now` stops the turn that runs and is begun with next; `queue`, the default, waits its turn. `answers` names the question
 * that it was written for, null for none; left out, it answers the one that is open when it comes.
 */
export const NewInput = named(
  "NewInput",
  z
    .strictObject({
      kind: z.enum(["prompt", "steer"]),
      text: InputText,
      attachments: FileRefs.optional(),
      delivery: z.enum(["queue", "now"]).optional(),
      answers: z.string().nullable().optional(),
    })
    .refine(({ kind, delivery }) => kind === "prompt" || delivery === undefined, {
      path: ["delivery"],
      message: "is for a prompt: a steer enters the turn that runs",
    })
    .refine(({ answers, delivery }) => answers == null || delivery !== "now", {
      path: ["delivery"],
      message: "stops the turn, and with it the question that this answers",
    })
    .refine(({ answers, attachments = [] }) => answers == null || attachments.length === 0, {
      path: ["attachments"],
      message: "can't go with an answer",
    })
    .refine(({ answers, text }) => answers == null || text.length <= ANSWER_MAX_CHARS, {
      path: ["text"],
      message: `is too long for an answer, which takes ${ANSWER_MAX_CHARS} characters`,
    }),
);

/** Of what is still queued. `before` names the input that it is to stand in front of; null: it goes last. */
export const PatchInput = named(
  "PatchInput",
  z
    .strictObject({
      text: InputText.optional(),
      attachments: FileRefs.optional(),
      kind: z.enum(["prompt", "steer"]).optional(),
      before: z.string().nullable().optional(),
    })
    .refine((patch) => Object.keys(patch).length > 0, "name at least one of text, attachments, kind, before"),
);

/** What an input that was delivered should have said. Without attachments it keeps those that it had. */
export const Resend = named("Resend", z.strictObject({ text: InputText, attachments: FileRefs.optional() }));

export const Workspace = forColumn(z.string().min(1).max(4096)).refine(
  (path) => /^(\/|~$|~\/)/.test(path),
  "must be an absolute path, or begin with ~/",
);

export const NewSession = named(
  "NewSession",
  z.strictObject({
    profile: Name.optional(),
    title: Title.optional(),
    workspace: Workspace.optional(),
    lane: Name.optional(),
    /** In place of the profile's own. */
    model: Name.optional(),
    input: NewInput.optional(),
  }),
);

export const Origin = z.object({
  kind: z.enum(["fork", "task", "delegation"]),
  session: z.string(),
  at: PositionText.optional(),
});

export const SessionRow = named(
  "SessionRow",
  z.object({
    id: z.string(),
    title: z.string().nullable(),
    profile: z.string(),
    workspace: z.string().nullable(),
    lane: z.string().nullable(),
    model: z.string().nullable(),
    status: StatusName,
    attention: z.object({ kind: z.enum(["approval", "question", "failed"]), count: z.number() }).nullable(),
    unread: z.number(),
    messages: z.number(),
    queued: z.number(),
    position: PositionText,
    createdAt: z.string(),
    updatedAt: z.string(),
    head: z.string(),
    origin: Origin.nullable(),
    pinned: z.boolean(),
    archived: z.boolean(),
    retryAt: z.string().nullable(),
    /** How many of the session's processes run. */
    processes: z.number(),
    /** `cost` is of those tokens whose model has a price, and null when there are only others. */
    usage: z.object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cost: z.number().nullable(),
      unpricedTokens: z.number(),
    }),
  }),
);
export type SessionRow = z.infer<typeof SessionRow>;

export const SessionList = named(
  "SessionList",
  z.object({ items: z.array(SessionRow), next: z.string().nullable() }),
);

const Flag = z.enum(["true", "false"]).transform((text) => text === "true");
const Limit = (most: number, usual: number) => z.coerce.number().int().min(1).max(most).default(usual);

/** `after` is the `next` of the page before. */
export const ListPage = z.strictObject({ limit: Limit(200, 50), after: z.string().max(200).optional() });

/** Those that head a lineage and are nobody's delegates; with `id`, how an id begins, or `status=ended` the others too. */
export const ListSessions = z.strictObject({
  id: Name.optional(),
  status: StatusName.optional(),
  lane: Name.optional(),
  profile: Name.optional(),
  archived: Flag.optional(),
  q: z.string().max(500).optional(),
  limit: Limit(200, 50),
  after: z.string().max(500).optional(),
});

export const PatchSession = named(
  "PatchSession",
  z
    .strictObject({
      title: Title.optional(),
      pinned: z.boolean().optional(),
      archived: z.boolean().optional(),
      model: Name.optional(),
    })
    .refine((patch) => Object.keys(patch).length > 0, "name at least one of title, pinned, archived, model"),
);

/** `input` is null when it was the answer to a question that was open; `answered` then names the ask. */
export const Admitted = named(
  "Admitted",
  z.object({
    input: z.string().nullable(),
    answered: z.string().optional(),
    session: z.string(),
    position: PositionText,
  }),
);
export type Admitted = z.infer<typeof Admitted>;

export const Changed = named("Changed", z.object({ position: PositionText }));
/** Whether it was held. */
export const Released = named("Released", z.object({ released: z.boolean(), position: PositionText }));
/** `stopped` is false when no turn runs; `turn` is the one that ends as soon as whoever works on it hears of it. */
export const Stopped = named(
  "Stopped",
  z.object({ stopped: z.boolean(), turn: z.string().nullable(), position: PositionText }),
);
export type Stopped = z.infer<typeof Stopped>;

/** `retries` failed; `turn` goes on with it. */
export const Retried = named(
  "Retried",
  z.object({ turn: z.string(), retries: z.string(), position: PositionText }),
);
export type Retried = z.infer<typeof Retried>;

export const Seen = named("Seen", z.strictObject({ position: PositionText }));
export const NewFork = named("NewFork", z.strictObject({ at: PositionText.optional() }));

// --- asks, rules, profiles

const Answer = z.object({
  choice: z.string().optional(),
  text: z.string().optional(),
  values: z.array(z.string()).optional(),
});

export const Ask = named(
  "Ask",
  z.object({
    id: z.string(),
    session: z.string(),
    kind: z.enum(["approval", "clarify"]),
    title: z.string(),
    call: z.string().nullable(),
    command: z.string().nullable(),
    cwd: z.string().nullable(),
    details: z.array(AskDetail).optional(),
    digest: z.string().nullable(),
    choices: z.array(z.object({ id: z.string(), label: z.string() })),
    multiple: z.boolean(),
    expires: z.string().nullable(),
    openedAt: z.string(),
    state: z.enum(["open", "answered", "expired", "withdrawn"]),
    answer: Answer.nullable(),
    closedBy: By.nullable(),
    closedAt: z.string().nullable(),
  }),
);
export type Ask = z.infer<typeof Ask>;
export const AskList = named("AskList", z.object({ items: z.array(Ask), next: z.string().nullable() }));

export const ListAsks = z.strictObject({
  open: Flag.optional(),
  session: z.string().max(200).optional(),
  limit: Limit(200, 50),
  after: z.string().max(200).optional(),
});

/** An approval takes a `choice`, and with it perhaps a word; a question takes `text`, or `values` from its choices. */
export const NewAnswer = named(
  "NewAnswer",
  z.strictObject({
    choice: z.string().max(200).optional(),
    text: z.string().max(ANSWER_MAX_CHARS).optional(),
    values: z.array(z.string().max(200)).max(20).optional(),
  }),
);

export const RuleInfo = named(
  "RuleInfo",
  Rule.extend({
    id: z.string(),
    profile: z.string(),
    shown: z.string().nullable(),
    createdAt: z.string(),
  }),
);
export type RuleInfo = z.infer<typeof RuleInfo>;
export const RuleList = z.object({ items: z.array(RuleInfo), next: z.string().nullable() });

export const ProfileInfo = named(
  "ProfileInfo",
  z.object({
    name: z.string(),
    driver: z.enum(["builtin", "acp"]),
    model: z.string().nullable(),
    /** A scripted model, labelled as such wherever it speaks. */
    demo: z.boolean(),
    /** Why it is there. */
    origin: z.string(),
    workspace: z.string().nullable(),
    tools: z.array(z.string()),
    /** MCP servers of which it has the tools too, whether or not they are there just now. */
    mcp: z.array(z.string()),
    /** How much its model takes in at once, as the configuration has it. */
    contextTokens: z.number(),
    approvals: z.enum(["ask", "auto", "deny"]),
    sandboxed: z.boolean(),
    sandbox: z.string(),
    /** What it lacks, such as a key; null when it can work. */
    unusable: z.string().nullable(),
  }),
);
export type ProfileInfo = z.infer<typeof ProfileInfo>;
/** All of them: they are as many as the configuration has. */
export const ProfileList = z.object({ items: z.array(ProfileInfo), next: z.null() });

// --- the trail

/** Who did what: `by` and with which credential, and `what` it was done to. */
export const DeedInfo = named(
  "Deed",
  z.object({
    id: z.string(),
    at: z.string(),
    deed: z.enum(DEEDS),
    by: By,
    credential: z.string().nullable(),
    what: z.record(z.string(), z.union([z.string(), z.boolean()])),
  }),
);
export type DeedInfo = z.infer<typeof DeedInfo>;
export const DeedList = named(
  "DeedList",
  z.object({ items: z.array(DeedInfo), next: z.string().nullable() }),
);

// --- what was used

/** A day in UTC, or a moment in it. */
const Day = z.union([z.iso.date(), z.iso.datetime({ offset: true })], "must be a day, as in 2026-07-01");
/**
 * Days count in UTC, both ends of `since` and `until` whole. `session` is that one with its lineage and whoever works for it,
 * as for processes; forks are on their own.
 */
export const ReadUsage = z.strictObject({
  by: z.enum(["day", "model", "profile", "session"]).default("day"),
  since: Day.optional(),
  until: Day.optional(),
  session: Name.optional(),
  profile: Name.optional(),
  model: Name.optional(),
  limit: Limit(200, 50),
  after: z.string().max(500).optional(),
});

/**
 * `steps` are calls of a model that were completed. Cached tokens are among those that went in, reasoning among those that came
 * out. `cost` is in US dollars, at the price of the day, of those steps whose model had one, and null when there were only
 * others: `unpricedSteps` and `unpricedTokens` are in no cost.
 */
const UsageSum = z.object({
  steps: z.number(),
  inputTokens: z.number(),
  cachedTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  cost: z.number().nullable(),
  unpricedSteps: z.number(),
  unpricedTokens: z.number(),
});
export type UsageSum = z.infer<typeof UsageSum>;
/** What it was broken down by: `model` is null where nobody said which it was. */
const UsageItem = UsageSum.extend({
  day: z.string().optional(),
  model: z.string().nullable().optional(),
  profile: z.string().optional(),
  session: z.string().optional(),
  title: z.string().nullable().optional(),
  deleted: z.boolean().optional(),
});
export type UsageItem = z.infer<typeof UsageItem>;
/**
 * `total` is of all that the filters let through, the items of a page: days newest first, all else by its tokens. `uncounted`
 * are sessions from before usage was kept whose logs are still being counted.
 */
export const UsageReport = named(
  "UsageReport",
  z.object({
    by: ReadUsage.shape.by.unwrap(),
    total: UsageSum,
    items: z.array(UsageItem),
    next: z.string().nullable(),
    uncounted: z.number(),
  }),
);
export type UsageReport = z.infer<typeof UsageReport>;

// --- hosts

/** Unless it is confirmed, what may still run on the lost host is told with 409. */
export const MoveSession = z.strictObject({ confirm: z.boolean().optional() });
/** `lost`: the processes of which nobody can tell any more whether they ran to their end. */
export const Moved = named(
  "Moved",
  z.object({
    session: z.string(),
    from: z.string().nullable(),
    to: z.string(),
    lost: z.array(z.string()).describe("commands that count as unknown from now on"),
    delegates: z.array(z.string()).describe("the sessions that work for it and were moved with it"),
    left: z
      .array(z.object({ session: z.string(), host: z.string() }))
      .describe("those that work for it on a third host, and stay there"),
  }),
);

// --- processes

export const ProcessStatusName = z.enum(["running", "exited", "stopped", "lost"]);
export const ProcessClassName = z.enum(["working", "waiting", "service", "stale"]);

export const Process = named(
  "Process",
  z.object({
    id: z.string(),
    session: z.string(),
    task: z.string().nullable(),
    run: z.string().nullable(),
    call: z.string().nullable(),
    command: z.string(),
    cwd: z.string(),
    /** Nobody's call waits for it. */
    background: z.boolean(),
    host: z.string().nullable(),
    status: ProcessStatusName,
    /** How it is doing, once it was measured on its own host. */
    class: ProcessClassName.nullable(),
    why: z.string().nullable(),
    /** Whether a reset of its session waits for it. */
    holdsReset: z.boolean(),
    pid: z.number().nullable(),
    /** A share of a core over the last minute. */
    cpu: z.number().nullable(),
    /** Bytes. */
    memory: z.number().nullable(),
    ports: z.array(z.number()),
    startedAt: z.string(),
    endedAt: z.string().nullable(),
    ageSeconds: z.number(),
    exit: z.number().nullable(),
    cause: z.string().nullable(),
    /** How what it said ends; null when that lies on another host. */
    outputTail: z.string().nullable(),
  }),
);
export type Process = z.infer<typeof Process>;
export const ProcessList = named(
  "ProcessList",
  z.object({ items: z.array(Process), next: z.string().nullable() }),
);

/** Those that run, unless a status or `all` is asked for. A session's are those of its lineage and of its delegates. */
export const ListProcesses = z.strictObject({
  session: z.string().max(200).optional(),
  status: ProcessStatusName.optional(),
  class: ProcessClassName.optional(),
  all: Flag.optional(),
  limit: Limit(200, 50),
  after: z.string().max(300).optional(),
});

export const ReadOutput = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce
    .number()
    .int()
    .min(4)
    .max(1 << 20)
    .default(64 * 1024),
});
/** `next` is where to read on; `over` when nothing more will come after `bytes`. */
export const ProcessOutput = named(
  "ProcessOutput",
  z.object({
    process: z.string(),
    from: z.number(),
    next: z.number(),
    bytes: z.number(),
    text: z.string(),
    over: z.boolean(),
  }),
);
export type ProcessOutput = z.infer<typeof ProcessOutput>;

export const NewProcessInput = named(
  "NewProcessInput",
  z.strictObject({ text: z.string().min(1).max(60_000) }),
);
export const StopProcess = named(
  "StopProcess",
  z.strictObject({ signal: z.enum(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]).optional() }),
);
/** `outcome` is null while its host has not carried it out. */
export const ProcessRequest = named(
  "ProcessRequest",
  z.object({ id: z.string(), process: z.string(), outcome: z.string().nullable() }),
);
export type ProcessRequest = z.infer<typeof ProcessRequest>;

// --- search, overview, files

export const SearchQuery = z.strictObject({
  q: z.string().min(1).max(500),
  limit: Limit(100, 20),
  after: z.string().max(500).optional(),
});
export const SearchHits = named(
  "SearchHits",
  z.object({
    items: z.array(
      z.object({
        session: z.string(),
        title: z.string().nullable(),
        position: PositionText,
        at: z.string(),
        type: z.string(),
        snippet: z.string(),
      }),
    ),
    next: z.string().nullable(),
  }),
);

export const FileInfo = named("FileInfo", Attachment);

export const NodeInfo = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  url: z.string().nullable(),
  startedAt: z.string(),
  alive: z.boolean(),
});

export const Overview = named(
  "Overview",
  z.object({
    store: z.string(),
    dialect: z.enum(["sqlite", "postgres"]),
    version: z.string(),
    /** How many sessions have which status. */
    sessions: z.record(StatusName, z.number()),
    /** How many are open. */
    asks: z.number(),
    /** Which, newest first; beyond a hundred GET /api/asks?open=true has the rest. */
    openAsks: z.array(Ask.pick({ id: true, session: true, kind: true, title: true, openedAt: true })),
    /** What runs and waits now, newest first. */
    active: z.array(SessionRow),
    /** Those that run, newest first. */
    processes: z.array(Process),
    nodes: z.array(NodeInfo),
  }),
);
export type Overview = z.infer<typeof Overview>;

export const StoreCheck = named(
  "StoreCheck",
  z.object({
    store: z.string(),
    dialect: z.enum(["sqlite", "postgres"]),
    events: z.number(),
    damaged: z.array(z.object({ log: z.string(), position: PositionText })),
    problems: z.array(z.string()),
  }),
);

// --- persons

export const NewToken = named(
  "NewToken",
  z.strictObject({ name: Name, person: Name.optional(), kind: z.enum(["person", "program"]).optional() }),
);
export const TokenInfo = named(
  "TokenInfo",
  z.object({
    id: z.string(),
    name: z.string(),
    person: z.string(),
    kind: z.enum(["person", "program"]),
    createdAt: z.string(),
    usedAt: z.string().nullable(),
  }),
);
/** The secret is shown this once. */
export const MadeToken = named("MadeToken", TokenInfo.extend({ token: z.string() }));
export const TokenList = z.object({ items: z.array(TokenInfo), next: z.string().nullable() });

export const LoginRequest = named("LoginRequest", z.strictObject({ secret: z.string().min(1).max(200) }));
export const LoginInfo = z.object({
  id: z.string(),
  person: z.string(),
  device: z.string(),
  createdAt: z.string(),
  usedAt: z.string(),
  expiresAt: z.string(),
});
export const LoginList = z.object({ items: z.array(LoginInfo), next: z.string().nullable() });
export const LoginLink = named("LoginLink", z.object({ url: z.string(), expiresAt: z.string() }));
export const Me = named(
  "Me",
  z.object({
    /** Of the token or login itself, as their lists have it. */
    id: z.string(),
    person: z.string(),
    kind: z.enum(["person", "program", "login"]),
    device: z.string(),
  }),
);
