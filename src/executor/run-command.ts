// A command under the shim: its row is a fact before the spawn, so whoever comes next finds it by name, waits for it or
// reads its end, and never runs it a second time.
import { failpoint } from "../failpoint.ts";
import type { NewFact } from "../session/event.ts";
import { toolOf } from "../session/parts.ts";
import type { ToolPart } from "../session/view.ts";
import type { CommandSpec } from "../tool/tool.ts";
import { endOfCommand } from "./command-end.ts";
import { processName } from "./derived-ids.ts";
import type { CommandEnd } from "./commands.ts";
import { DraftWriter } from "./draft-writer.ts";
import { finish, finished, intend, type ToolWork } from "./tool-work.ts";

export async function startCommand(work: ToolWork, call: string, spec: CommandSpec): Promise<void> {
  await spawn(work, call, spec, processName(work.store, work.session.id, call, 1));
}

/** An executor died while this ran, or before: its directory tells which. */
export async function resumeCommand(
  work: ToolWork,
  { call, process }: ToolPart,
  spec: CommandSpec,
  mayRun: () => Promise<boolean>,
): Promise<void> {
  if (process === null) return startCommand(work, call, spec);
  const found = await work.commands.find(process);
  if (found.state === "unstarted") {
    // It was only a fact yet, and under this id it stays one: it runs now, for the first time, under the next. Judged anew,
    // since what made it harmless (a sandbox, a rule) may be gone.
    await tellNeverBegan(work, process);
    if (await mayRun()) await spawn(work, call, spec, nextName(work, call, process));
    return;
  }
  await attend(work, call, process, found.state === "running" ? spec : { ...spec, timeoutMs: undefined });
}

async function spawn(work: ToolWork, call: string, spec: CommandSpec, process: string): Promise<void> {
  const { command, cwd, background, stdin } = spec;
  const begins = await intend(work, [
    { type: "process_started", data: { process, command, cwd, call, background } },
    { type: "tool_started", data: { call, process } },
  ]);
  if (!begins) return;
  failpoint("after-intent");
  const { profile } = work.session.view.meta;
  const started = await work.commands.start({
    process,
    profile,
    command,
    cwd,
    stdin,
    background,
    ...work.place,
  });
  failpoint("after-effect");
  if (started.ok) return attend(work, call, process, spec);
  const failed = finished(call, "error", `The command could not be started: ${started.reason}`);
  // Each time that it is decided anew, someone else has written meanwhile: that it never began, for one.
  while (!(await work.session.appendDecided([...neverBegan(work, process, started.reason), failed])));
}

/** Decided anew as often as someone else has written meanwhile: whoever watches processes may have told it. */
async function tellNeverBegan(work: ToolWork, process: string): Promise<void> {
  for (let facts = neverBegan(work, process); facts.length > 0; facts = neverBegan(work, process))
    if (await work.session.appendDecided(facts)) return;
}

/** Whoever watches processes may have told it already. */
function neverBegan({ session }: ToolWork, process: string, cause = "unstarted"): NewFact[] {
  if (!session.view.processes.some((known) => known.process === process)) return [];
  return [{ type: "process_exited", data: { process, exit: null, cause } }];
}

async function attend(work: ToolWork, call: string, process: string, spec: CommandSpec): Promise<void> {
  if (!spec.background) return follow(work, call, process, spec.timeoutMs);
  work.leftRunning?.();
  await finish(
    work,
    call,
    "ok",
    `Started in the background as ${process}: the process tool shows it, waits for it and stops it.`,
  );
}

async function follow(
  work: ToolWork,
  call: string,
  process: string,
  timeoutMs: number | undefined,
): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([work.signal, ended.signal]);
  const drafts = new DraftWriter(work.beat, work.secrets, async (events) => {
    if (await work.session.appendDrafts(events)) await work.session.catchUp();
  });
  const follow = async () => {
    for await (const text of work.commands.follow(process, signal)) drafts.add(`${call}/0`, "output", text);
  };
  let unending: unknown;
  const cancel =
    timeoutMs === undefined
      ? undefined
      : work.clock.after(leftOf(work, call, timeoutMs), () => {
          work.commands.stop(process, "timed_out").catch((error: unknown) => {
            unending = error;
            ended.abort();
          });
        });
  try {
    const [over] = await Promise.all([work.commands.finished(process, signal), follow()]);
    failpoint("after-effect");
    await drafts.flush();
    if (over) await report(work, call, process, over);
    else if (unending !== undefined) await finish(work, call, "unknown", stillThere(unending));
    // Else it was broken off: by a stop, whose facts follow, or by a shutdown that leaves the command running.
  } finally {
    cancel?.();
    ended.abort();
  }
}

/** It counts from the command's start, whoever attends to it now; a clock that was set back gives it no more than the whole. */
function leftOf({ session, clock }: ToolWork, call: string, timeoutMs: number): number {
  const startedAt = toolOf(session.view, call)?.part.startedAt;
  const goneMs = startedAt == null ? 0 : clock.now() - Date.parse(startedAt);
  return Math.min(timeoutMs, Math.max(0, timeoutMs - goneMs));
}

function stillThere(error: unknown): string {
  return `It took too long and could not be ended: ${error instanceof Error ? error.message : String(error)}`;
}

async function report(work: ToolWork, call: string, process: string, over: CommandEnd): Promise<void> {
  const told = await endOfCommand(work, call, process, over);
  const isLeft = over.state === "exited" && (over.left ?? []).length > 0;
  // What it left running is told to be over by whoever watches processes, when that is so.
  await work.session.append(isLeft ? [told.call] : [told.process, told.call]);
  if (isLeft) work.leftRunning?.();
}

function nextName({ store, session }: ToolWork, call: string, process: string): string {
  return processName(store, session.id, call, Number(process.slice(process.lastIndexOf(".") + 1)) + 1);
}
