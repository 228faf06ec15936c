// A command under the shim: its row is a fact before the spawn, so whoever comes next finds it by name, waits for it or
// reads its end, and never starts it a second time.
import type { CommandSpec } from "../tool/tool.ts";
import type { CommandState } from "./commands.ts";
import { DraftWriter } from "./draft-writer.ts";
import { finish, type ToolWork } from "./tool-work.ts";

type Over = Extract<CommandState, { state: "exited" | "lost" }>;

export async function runCommand(
  work: ToolWork,
  call: string,
  spec: CommandSpec,
  how: "start" | "resume",
): Promise<void> {
  const process = processOf(work, call);
  if (how === "start") await record(work, call, process, spec);
  // After a crash between the fact and the spawn nothing is there yet: then it is started now, for the first time.
  if (how === "start" || (await work.commands.find(process)).state === "none") {
    const { command, cwd, stdin } = spec;
    const started = await work.commands.start({ process, command, cwd, stdin, ...work.place });
    if (!started.ok) {
      await work.session.append([
        { type: "process_exited", data: { process, exit: null, cause: started.reason } },
      ]);
      return finish(work, call, "error", `The command could not be started: ${started.reason}`);
    }
  }
  if (spec.background)
    return finish(
      work,
      call,
      "ok",
      `Started in the background as ${process}: use the process tool to see, wait for or stop it.`,
    );
  await follow(work, call, process, spec.timeoutMs);
}

async function record(
  work: ToolWork,
  call: string,
  process: string,
  { command, cwd, background }: CommandSpec,
): Promise<void> {
  await work.session.append([
    { type: "process_started", data: { process, command, cwd, call, background } },
    { type: "tool_started", data: { call, process } },
  ]);
}

async function follow(
  work: ToolWork,
  call: string,
  process: string,
  timeoutMs: number | undefined,
): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([work.signal, ended.signal]);
  const drafts = new DraftWriter(async (events) => {
    if (await work.session.appendDrafts(events)) await work.session.catchUp();
  });
  const said = (async () => {
    for await (const text of work.commands.follow(process, signal)) drafts.add(`${call}/0`, "output", text);
  })();
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => void work.commands.stop(process), timeoutMs);
  const over = await work.commands.finished(process, work.signal);
  clearTimeout(timer);
  await said;
  ended.abort();
  if (!over) return; // broken off: by a stop, whose facts follow, or by a shutdown that leaves the command running
  await drafts.flush();
  await report(work, call, process, over);
}

async function report(work: ToolWork, call: string, process: string, over: Over): Promise<void> {
  const output = await work.commands.result(process);
  if (over.state === "lost") {
    await work.session.append([{ type: "process_lost", data: { process } }]);
    return finish(
      work,
      call,
      "unknown",
      `${output}\n[the command was lost: whether it finished is not known]`,
    );
  }
  const { exit, cause } = over;
  const result = await work.longText(
    exit === 0 ? output || "[no output]" : `${output}\n[exit ${exit}: ${cause}]`,
  );
  await work.session.append([
    { type: "process_exited", data: { process, exit, cause } },
    { type: "tool_finished", data: { call, status: exit === 0 ? "ok" : "error", result, exit } },
  ]);
}

/** The same for whoever asks: that is how a command is found again. */
export function processOf(work: Pick<ToolWork, "session">, call: string): string {
  return `prc_${work.session.id.slice(work.session.id.indexOf("_") + 1)}_${call}`;
}
