// What is told of a command that is over: how it ended, by its own trace, and what it said.
import type { FactData, NewFact } from "../session/event.ts";
import type { CommandEnd, Commands } from "./commands.ts";
import { leftWords } from "./left-words.ts";

export type Telling = {
  commands: Pick<Commands, "result">;
  longText: (text: string) => Promise<FactData<"tool_finished">["result"]>;
};

/** Of its process, and of the call that waited for it. */
export type EndFacts = { process: NewFact; call: Finished };

type Finished = Extract<NewFact, { type: "tool_finished" }>;

/** It came to its end by itself, or was lost. */
export async function endOfCommand(
  { commands, longText }: Telling,
  call: string,
  process: string,
  over: CommandEnd,
): Promise<EndFacts> {
  const output = await commands.result(process);
  if (over.state !== "exited") {
    const result = await longText(
      `${output}\n[the command was lost: whether it finished is not known, verify]`,
    );
    return {
      process: { type: "process_lost", data: { process } },
      call: { type: "tool_finished", data: { call, status: "unknown", result } },
    };
  }
  const { exit, cause, left = [] } = over;
  // Many a server that is asked to end exits with 0: that it was asked is what counts.
  const isWell = exit === 0 && cause === "exit";
  const said = isWell ? output || "[no output]" : `${output}\n[exit ${exit}: ${cause}]`;
  const result = await longText(said + leftWords(process, left));
  return {
    process: { type: "process_exited", data: { process, exit, cause } },
    call: { type: "tool_finished", data: { call, status: isWell ? "ok" : "error", result, exit } },
  };
}

/** It was ended with its turn: `why`, and what it had said until then. */
export async function endedCommand(
  { commands, longText }: Telling,
  call: string,
  process: string,
  exit: number | null,
  why: string,
): Promise<EndFacts> {
  const output = await commands.result(process);
  const result = await longText(output === "" ? why : `${output}\n[${why}]`);
  return {
    process: { type: "process_stopped", data: { process, exit } },
    call: {
      type: "tool_finished",
      data: { call, status: "stopped", result, ...(exit !== null && { exit }) },
    },
  };
}
