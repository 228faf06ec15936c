// What an agent sees of the processes of its session, and of those who work for it: the same set that a person sees.
import { z } from "zod";
import type { About, Call, Outcome, Tool } from "./tool.ts";

export interface Processes {
  /** Those that run, or all of late, newest first. */
  list(session: string, all: boolean): Promise<ProcessLine[]>;
  /** Undefined when it is none of this session's. */
  find(session: string, process: string): Promise<ProcessLine | undefined>;
  /** All of what it said, or how it begins and ends and how to read the rest. */
  shown(process: string): Promise<string>;
  output(
    process: string,
    offset: number,
  ): Promise<{ text: string; from: number; next: number; bytes: number }>;
  /** Until it is over, or the signal. */
  over(process: string, signal: AbortSignal): Promise<void>;
  /** Carried out once for each key; what came of it, or undefined when the signal came first. */
  request(key: string, process: string, wish: Wish, signal: AbortSignal): Promise<string | undefined>;
}

export type ProcessLine = { process: string; running: boolean; words: string };
export type Wish = { do: "stop" } | { do: "write"; text: string };

const WAIT_MAX_MS = 10 * 60_000;

const Args = z.strictObject({
  action: z.enum(["list", "output", "wait", "write", "stop"]),
  process: z.string().max(300).optional().describe("Its id, as list shows it; for all but list."),
  text: z.string().max(60_000).optional().describe("For write: what it reads on its standard input."),
  offset: z.int().min(0).optional().describe("For output: the byte to read from."),
  all: z.boolean().optional().describe("For list: those that are over too."),
});
type Args = z.infer<typeof Args>;

export function processTool(processes: Processes): Tool<Args> {
  return {
    name: "process",
    description:
      "Lists the processes that were started in the background or left running by a command, shows what one has said, " +
      "waits for it (up to ten minutes at a time), writes to it, or stops it.",
    args: Args,
    effect: "idempotent", // it looks; what it asks for is keyed by the call
    kind: "plain",
    about,
    run: (args, call) => run(processes, args, call),
  };
}

/** To write to a process may be to give it a command; all else looks, or ends what is the agent's own. */
function about({ action, process = "", text }: Args, { workspace }: { workspace: string }): About {
  const title = `${action} ${process}`.trim();
  if (action !== "write") return { title, subject: title, cwd: workspace, harmless: true };
  return { title, subject: `${title} ${text ?? ""}`, command: text ?? "", cwd: workspace, harmless: false };
}

async function run(processes: Processes, args: Args, call: Call): Promise<Outcome> {
  if (args.action === "list") {
    const lines = await processes.list(call.session, args.all ?? false);
    return ok(lines.map(({ words }) => words).join("\n") || "Nothing runs in the background.");
  }
  const id = args.process;
  if (id === undefined) return error(`"${args.action}" needs the id of a process: list shows them.`);
  const found = await processes.find(call.session, id);
  if (!found) return error(`There is no process ${id} in this session: list shows those that there are.`);
  switch (args.action) {
    case "output":
      return ok(await outputOf(processes, id, args.offset));
    case "wait":
      return waitFor(processes, found, call);
    case "write":
      if (args.text === undefined) return error('"write" needs a text.');
      return request(processes, found, { do: "write", text: args.text }, call);
    case "stop":
      return request(processes, found, { do: "stop" }, call);
  }
}

async function outputOf(processes: Processes, id: string, offset: number | undefined): Promise<string> {
  if (offset === undefined) return (await processes.shown(id)) || "[it has said nothing yet]";
  const { text, from, next, bytes } = await processes.output(id, offset);
  if (from >= bytes) return `[nothing from byte ${from} on: it has said ${bytes} bytes so far]`;
  return `${text}\n[bytes ${from} to ${next} of ${bytes}${next < bytes ? `: read on with offset ${next}` : ""}]`;
}

/** Waiting changes nothing, so whoever goes on after a crash just waits again. */
async function waitFor(processes: Processes, { process }: ProcessLine, call: Call): Promise<Outcome> {
  await processes.over(process, AbortSignal.any([call.signal, AbortSignal.timeout(WAIT_MAX_MS)]));
  const now = await processes.find(call.session, process);
  const said = await processes.shown(process);
  return ok(`${now?.words ?? `${process} is gone`}\n${said}`);
}

async function request(
  processes: Processes,
  { process, running, words }: ProcessLine,
  wish: Wish,
  { session, call, signal }: Call,
): Promise<Outcome> {
  const key = `req_${session.slice(session.indexOf("_") + 1)}_${call}`;
  if (!running && wish.do === "stop") return ok(words);
  const outcome = await processes.request(key, process, wish, signal);
  if (outcome === undefined) return error("It is not known what came of it.");
  return outcome === "stopped" || outcome === "written" ? ok(outcome) : error(outcome);
}

function ok(result: string): Outcome {
  return { status: "ok", result };
}

function error(result: string): Outcome {
  return { status: "error", result };
}
