// The seam to what an agent can do. A tool checks its arguments, says what it is about, and acts; whether it may act,
// and what happens when it dies, is the executor's affair.
import type { z } from "zod";
import type { SubjectPath } from "../session/approval.ts";

export type Effect = "read" | "idempotent" | "unsafe";

export type Tool<Args = unknown> = {
  name: string;
  description: string;
  args: z.ZodType<Args>;
  /** As the model is told of its arguments, where that is not what `args` says: whoever runs it checks them itself. */
  parameters?: Readonly<Record<string, unknown>>;
  /** `read` and `idempotent` run again after a crash that left no trace; `unsafe` never does. */
  effect: Effect;
  /** What rules and people judge by. */
  about(args: Args, place: Place): About | Promise<About>;
  /** The file or directory that it shows something of, by its real path: it sees what earlier calls of its step made of it. */
  looksAt?(args: Args, place: Place): Promise<string>;
} & Action<Args>;

export type Action<Args> =
  | PlainAction<Args>
  | CommandAction<Args>
  /** Put to a person; the answer is the result. */
  | { kind: "ask"; question(args: Args): Question }
  /** Done by another session. */
  | { kind: "delegate"; delegation(args: Args): Delegation };

/** Runs a command under the shim: it outlives the server and is found again. */
export type CommandAction<Args> = {
  kind: "command";
  /** `withheld`: patterns of paths that a call about paths must not show anything of, though it may be about more. */
  command(args: Args, place: Place, withheld: readonly string[]): CommandSpec | Promise<CommandSpec>;
};

export type PlainAction<Args> = {
  kind: "plain";
  /** The file that it changes, by its real path: calls that change the same one act one after the other. */
  changes?(args: Args, place: Place): Promise<string>;
  /** What `run` will know its own effect by; committed before it acts, and given to it then and after a crash. */
  prepare?(args: Args, place: Place): Promise<Prepared>;
  run(args: Args, call: Call): Promise<Outcome>;
  /** Takes away what a run that was killed left behind, where nobody runs it again. */
  abandon?(args: Args, call: Place & Pick<Call, "call">): Promise<void>;
};

export type Prepared = { ok: true; trace: unknown } | { ok: false; result: string };
export type Question = { title: string; choices: { id: string; label: string }[]; multiple: boolean };
export type Delegation = { prompt: string; profile: string | undefined; background: boolean };

export type Place = {
  session: string;
  workspace: string;
  /** HOLDFAST_HOME: out of reach, even inside the workspace. */
  hidden: string;
};

export type About = {
  /** One line for a row or a card. */
  title: string;
  /** What patterns match: a command, a path. */
  subject: string;
  /** Where that is a path. */
  path?: SubjectPath;
  /** The exact bytes that will run, where it is a command. */
  command?: string;
  /** Where it is done; what a server does elsewhere has no directory. */
  cwd?: string;
  /** Where a link takes it, if one does: nobody would think of it by its name. */
  leadsTo?: string;
  /** Who does it, where that is a server. */
  server?: Server;
  /** It only looks, or changes nothing outside the workspace. */
  harmless: boolean;
  /** Why it is not done, whoever would allow it. */
  refused?: string;
};

/** The program or address behind a server's name. */
export type Server = {
  /** Without what may be a token in it. */
  shown: string;
  /** Of all of it. */
  digest: string;
};

export type CommandSpec = {
  command: string;
  cwd: string;
  background: boolean;
  stdin: boolean;
  timeoutMs: number | undefined;
};

export type Call = Place & { call: string; trace: unknown; signal: AbortSignal };

export type Outcome = { status: "ok" | "error" | "unknown"; result: string };
