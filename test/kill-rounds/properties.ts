// The six properties of resuming, from the log itself and from the world: what readers were shown, what commands left
// behind, what the model heard.
import { expect } from "vitest";
import { apply } from "../../src/session/apply.ts";
import { attemptOf, ownerOf } from "../../src/session/draft.ts";
import type { AnyEvent, DraftData, Fact, FactData } from "../../src/session/event.ts";
import { textOf } from "../../src/session/parts.ts";
import { emptyView } from "../../src/session/view.ts";
import type { AgentServer } from "../agent-server.ts";
import { facts, readLog } from "../seen-facts.ts";
import { checkLog } from "../simulation/log-rules.ts";
import type { Chance } from "../simulation/chance.ts";
import type { Ending } from "./finish.ts";
import { insist, type Round } from "./round.ts";
import { exitOf, LINES, TALK, type Heard } from "./work.ts";

/** Of a round that is over; each expectation says which session it is about. */
export async function expectProperties(
  server: AgentServer,
  { follower }: Round,
  endings: readonly Ending[],
  heard: Heard,
): Promise<void> {
  const lines = linesIn(await server.file(LINES));
  for (const ending of endings) {
    const { name, session, log } = ending;
    const about = (told: unknown) => [name, told];
    const faults: string[] = [];
    checkLog(log, true, (holds, what) => holds || faults.push(what));
    expect(about(faults)).toEqual(about([]));
    expectPrefix(about, follower.seen(session), log);
    expectEffects(about, ending, lines, heard.get(name) ?? []);
    expectAnswer(about, ending);
    await expectReached(about, server, session, log);
  }
}

type About = (told: unknown) => unknown[];

/** What was shown is in the log as it was shown; words of an attempt that broke off stay. */
function expectPrefix(about: About, seen: readonly AnyEvent[], log: readonly AnyEvent[]): void {
  const shown = facts(seen);
  expect(about(facts(log).slice(0, shown.length))).toEqual(about(shown));
  const aborted = new Set(
    log.flatMap((event) => {
      const fact = event as Fact; // others match nothing
      return fact.type === "step_aborted" ? [attemptOf(fact.data.step, fact.data.attempt)] : [];
    }),
  );
  const kept = new Map(log.map((event) => [event.position, event]));
  for (const event of seen)
    if (event.type === "draft" && aborted.has(ownerOf((event.data as DraftData).part)))
      expect(about(kept.get(event.position))).toEqual(about(event));
}

/** One line in the world for each command, and its own words and exit code where they belong; or it is unknown. */
function expectEffects(
  about: About,
  { kind, log }: Ending,
  lines: ReadonlyMap<string, string[]>,
  heard: readonly string[],
): void {
  const results = dataOf(log, "tool_finished");
  const ended = dataOf(log, "process_exited").map(({ process }) => process);
  expect(about(ended)).toEqual(about([...new Set(ended)])); // each is told once
  for (const { call, name, args } of dataOf(log, "tool_proposed")) {
    if (name !== "shell") continue;
    const key = / echo "(\S+) \$t"/.exec((args as { command: string }).command)?.[1] ?? "";
    const tokens = lines.get(key) ?? [];
    const result = results.find((each) => each.call === call);
    if (result?.status === "unknown") {
      expect(about(tokens.length <= 1)).toEqual(about(true));
      continue;
    }
    expect(about(tokens)).toEqual(about([expect.any(String)]));
    if (kind === "background") {
      const exits = dataOf(log, "process_exited").filter(({ cause }) => cause !== "unstarted");
      expect(about(exits.map(({ exit }) => exit))).toEqual(about([exitOf(key)]));
      continue;
    }
    const told = `said ${tokens[0]}`;
    expect(about(result)).toEqual(about(expect.objectContaining({ exit: exitOf(key) })));
    expect(about(textOf(result?.result ?? ""))).toEqual(about(expect.stringContaining(told)));
    const words = heard.find((text) => text.includes(told)); // that the model was really told
    const exit = exitOf(key) === 0 ? told : `[exit ${exitOf(key)}: exit]`;
    expect(about(words)).toEqual(about(expect.stringContaining(exit)));
  }
}

/** Answered, and anew where it had broken off. */
function expectAnswer(about: About, { kind, log }: Ending): void {
  expect(about(dataOf(log, "turn_ended"))).toEqual(
    about([expect.objectContaining({ outcome: "completed" })]),
  );
  const last = dataOf(log, "step_completed").at(-1);
  const text = last?.message.map((piece) => (piece.type === "text" ? textOf(piece.text) : "")).join("");
  expect(about(text)).toEqual(
    about(kind === "talk" ? TALK : expect.stringMatching(/^All is done: \d results\.$/)),
  );
}

/** What the server goes on from is what the log folds to: a state that was really reached. */
async function expectReached(
  about: About,
  server: AgentServer,
  session: string,
  log: readonly AnyEvent[],
): Promise<void> {
  const view = emptyView();
  for (const event of log) apply(view, event);
  const shown = (await (await server.fetch(`/api/sessions/${session}`)).json()) as { view: unknown };
  expect(about(shown.view)).toEqual(about(JSON.parse(JSON.stringify(view))));
}

/** Two forks at one position, taken at once, are the same but for their names. */
export async function expectForksAgree(
  server: AgentServer,
  { name, session, log }: Ending,
  chance: Chance,
): Promise<void> {
  const at = chance.pick(facts(log).slice(3)).position;
  const forks = await Promise.all(
    [1, 2].map(async (n) => {
      const answer = await insist(server, `/api/sessions/${session}/fork`, `${name} fork ${n}`, { at });
      expect([name, at, answer.status]).toEqual([name, at, 201]);
      const { id } = (await answer.json()) as { id: string };
      return facts(await readLog(server, id)).map(({ position, type, data }) => ({ position, type, data }));
    }),
  );
  expect([name, at, forks[0]]).toEqual([name, at, forks[1]]);
}

function dataOf<T extends Fact["type"]>(log: readonly AnyEvent[], type: T): FactData<T>[] {
  return log.filter((event) => event.type === type).map(({ data }) => data as FactData<T>); // as their writer typed them
}

function linesIn(text: string): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [key = "", token = ""] = line.split(" ");
    if (key !== "") lines.set(key, [...(lines.get(key) ?? []), token]);
  }
  return lines;
}
