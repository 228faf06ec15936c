// What running a call needs, and how every call ends.
import { failpoint } from "../failpoint.ts";
import type { Policy } from "../session/approval.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { FactData, NewFact } from "../session/event.ts";
import type { Place, Tool } from "../tool/tool.ts";
import type { Clock } from "./clock.ts";
import type { Commands } from "./commands.ts";
import type { Delegates } from "./delegates.ts";
import type { DraftBeat } from "./draft-beat.ts";
import type { FileLanes } from "./file-lanes.ts";
import type { HeldSession } from "./held-session.ts";
import type { NewAsk } from "./new-ask.ts";

export type ToolWork = {
  session: HeldSession;
  /** Its id. */
  store: string;
  tools: ReadonlyMap<string, Tool>;
  /** Which others there should be, and why they are not. */
  missingTools: readonly string[];
  place: Place;
  /** Why nothing can be done there; undefined when it can. Makes a scratch directory that is not there yet. */
  openWorkspace: () => Promise<string | undefined>;
  policy: () => Promise<Policy>;
  /** Whether commands run where they can do no harm outside the workspace. */
  sandboxed: boolean;
  /** Whether an agent of this profile may do what this one may not, or not without asking. */
  allowsMore: (profile: string) => Promise<boolean>;
  commands: Commands;
  delegates: Delegates;
  newAsk: () => Promise<NewAsk>;
  /** Something was begun that no call waits for: whoever watches over such should look. */
  leftRunning?: () => void;
  clock: Clock;
  beat: DraftBeat;
  secrets: Secrets;
  lanes: FileLanes;
  /** Calls that wait for another of their step, which waits for a person: by that one's. */
  behind: Map<string, string>;
  /** Kept beyond the session: a rule of the profile, made by whoever answered what this call asked. */
  saveRule: (rule: FactData<"rule_added">, call: string) => Promise<void>;
  longText: (text: string) => Promise<FactData<"tool_finished">["result"]>;
  signal: AbortSignal;
};

/** Facts that something begins with: false, and it must not begin, once the turn was stopped or is being broken off. */
export async function intend(
  { session, signal }: Pick<ToolWork, "session" | "signal">,
  facts: NewFact[],
): Promise<boolean> {
  while (!signal.aborted && !session.view.turn?.stopRequested)
    if (await session.appendDecided(facts)) return true;
  return false;
}

export async function finish(
  work: ToolWork,
  call: string,
  status: FactData<"tool_finished">["status"],
  text: string,
): Promise<void> {
  await work.session.append([finished(call, status, await work.longText(text))]);
  failpoint("between-tools");
}

export function finished(
  call: string,
  status: FactData<"tool_finished">["status"],
  result: FactData<"tool_finished">["result"],
): NewFact {
  return { type: "tool_finished", data: { call, status, result } };
}
