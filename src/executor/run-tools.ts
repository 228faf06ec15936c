// The calls of a step, all at once, each from where it stands: proposed, judged, perhaps put to a person, started,
// finished. Each arrow is a fact before the effect that follows it, so a crash between any two is a place to go on from.
import { createHash } from "node:crypto";
import { brokenText } from "../driver/driver.ts";
import { failpoint } from "../failpoint.ts";
import { APPROVAL_CHOICES, EACH_TIME_CHOICES } from "../session/answer.ts";
import { askDetails } from "../session/ask-details.ts";
import { decide, exactRule, withheldFrom, type Proposal } from "../session/approval.ts";
import type { AskDetail, FactData, NewFact } from "../session/event.ts";
import { lastStep, openCalls } from "../session/next-step.ts";
import type { ToolPart } from "../session/view.ts";
import { ask } from "../tool/ask.ts";
import type { About, CommandSpec, Delegation, PlainAction, Prepared, Tool } from "../tool/tool.ts";
import { childId } from "./derived-ids.ts";
import { StepLanes } from "./file-lanes.ts";
import { resumeCommand, startCommand } from "./run-command.ts";
import { finish, finished, intend, type ToolWork } from "./tool-work.ts";

type PlainTool = PlainAction<unknown>;
type Ready = { part: ToolPart; tool: Tool; args: unknown };

/** Wrapped, so that the next call need not wait until this one is done. */
type Entered = { done: Promise<void> };
const LEFT: Entered = { done: Promise.resolve() };

/** Of the calls of one step. */
type Turns = { next: <T>(act: () => Promise<T>) => Promise<T>; lanes: StepLanes };

/** Resolves when no call can go further: all finished, left to asks and delegates, or behind one of those. */
export async function runTools(work: ToolWork): Promise<void> {
  work.behind.clear();
  const turns: Turns = { next: inTurn(), lanes: new StepLanes(work.lanes) };
  const calls = openCalls(work.session.view);
  const isBegun = ({ state }: ToolPart) => state === "started";
  // What was begun comes first: the hash of the file that it changes was taken before any other's.
  const ordered = [...calls.filter(isBegun), ...calls.filter((part) => !isBegun(part))];
  const outcomes = await Promise.allSettled(ordered.map((part) => runCall(work, part.call, turns)));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function runCall(work: ToolWork, call: string, turns: Turns): Promise<void> {
  const ready = await readyCall(work, call);
  if (ready) await (await turns.next(() => enterCall(work, turns, ready))).done;
}

/** One after the other, so that a person is asked, and a file changed, in the order of the calls. */
function inTurn(): Turns["next"] {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const acted = last.then(act);
    last = acted;
    return acted;
  };
}

async function enterCall(work: ToolWork, { next, lanes }: Turns, ready: Ready): Promise<Entered> {
  const { part, tool, args } = ready;
  const { call } = part;
  const judge = () => mayRun(work, ready);
  const isBegun = part.state === "started";
  const changed = tool.kind === "plain" ? await tool.changes?.(args, work.place) : undefined;
  const seen = await tool.looksAt?.(args, work.place);
  const holder = isBegun ? undefined : lanes.heldBy({ seen, changed });
  const isJudgedLater = holder !== undefined && part.answer; // an answer is acted on once
  if (!isBegun && !isJudgedLater && !(await judge())) {
    if (changed !== undefined && partOf(work, call)) lanes.hold(changed, call);
    return LEFT;
  }
  if (holder !== undefined) {
    work.behind.set(call, holder);
    lanes.leave({ seen, changed }, holder);
    return LEFT;
  }
  const act = async () => {
    if (work.signal.aborted) return; // what it waited for was left as it is
    await (isBegun ? resume(work, ready, () => next(judge)) : start(work, ready));
  };
  if (changed !== undefined) return { done: lanes.change(changed, act) };
  return { done: seen === undefined ? act() : lanes.look(seen, act) };
}

/** Checked and proposed; undefined when that was the end of it. */
async function readyCall(work: ToolWork, call: string): Promise<Ready | undefined> {
  const part = partOf(work, call);
  if (!part) return undefined;
  const tool = work.tools.get(part.name) ?? answeredWith(part);
  if (!tool) return isAskedAbout(work, call) ? undefined : goneTool(work, part);
  const mark = part.state === "called" ? work.secrets.markIn(JSON.stringify(part.args) ?? "") : undefined;
  if (mark !== undefined) return refuse(work, part, holdsSecret(mark));
  const broken = brokenText(part.args);
  if (broken !== undefined) return refuse(work, part, brokenWords(work, broken.slice(0, 500)));
  const parsed = tool.args.safeParse(part.args);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(
      ({ path, message }) => `${path.join(".") || "arguments"}: ${message}`,
    );
    return refuse(work, part, `The arguments do not fit: ${faults.join("; ")}`);
  }
  if (part.state === "called") await work.session.append([proposed(part, tool.effect)]);
  const now = partOf(work, call);
  return now && { part: now, tool, args: parsed.data };
}

/** What a person has answered is told, though the agent may ask nothing more by now. */
function answeredWith({ name, answer }: ToolPart): Tool | undefined {
  return answer && name === ask.name ? (ask as Tool) : undefined; // whose arguments are checked before it has them
}

function isAskedAbout({ session: { view } }: ToolWork, call: string): boolean {
  return view.asks.some((asked) => asked.call === call);
}

const UNKNOWN = "It is not known whether this took effect: verify before you go on.";

/** What was begun with a tool that is gone since (an MCP server that does not start, another configuration) may be done. */
async function goneTool(work: ToolWork, part: ToolPart): Promise<undefined> {
  const isUnsure = part.state === "started" && part.effect !== "read";
  const missing = work.missingTools.length > 0 ? ` ${work.missingTools.join(". ")}.` : "";
  const gone = `There is no tool "${part.name}".${missing}`;
  if (isUnsure) await finish(work, part.call, "unknown", `${gone} ${UNKNOWN}`);
  else await refuse(work, part, `${gone} There are: ${[...work.tools.keys()].join(", ")}.`);
}

/**
 * What is run stands in the log, exactly: people approve it, and whoever takes over runs it. So a secret can't be in it. Nor
 * can its mark, which a model copies from what it read: written to a file it would replace the secret itself.
 */
function holdsSecret(mark: string): string {
  return (
    `Nothing was done: the arguments hold a secret, or the mark ${mark} that stands for it everywhere in this session. ` +
    "Don't write it out: use the environment variable, if commands have it, or the file that it is in."
  );
}

function brokenWords({ session: { view } }: ToolWork, broken: string): string {
  const isCut = view.turn !== null && lastStep(view, view.turn.id)?.finish === "length";
  return isCut
    ? `The answer stopped at its length limit within these arguments, so nothing was done. Try it in smaller parts. They began: ${broken}`
    : `The arguments are not JSON: ${broken}`;
}

async function refuse(work: ToolWork, part: ToolPart, result: string): Promise<undefined> {
  const facts: NewFact[] = part.state === "called" ? [proposed(part, "read")] : [];
  await work.session.append([
    ...facts,
    { type: "tool_finished", data: { call: part.call, status: "error", result } },
  ]);
}

/** True when it may run now. Otherwise it is denied, or a row that waits for a person. */
async function mayRun(work: ToolWork, ready: Ready): Promise<boolean> {
  const { part, tool, args } = ready;
  if (isAskedAbout(work, part.call)) return false;
  if (tool.kind === "ask") {
    if (part.answer)
      await finish(work, part.call, "ok", answerText(part.answer, tool.question(args).choices));
    else await openClarify(work, part, tool.question(args));
    return false;
  }
  const about = await tool.about(args, work.place);
  if (about.refused !== undefined) {
    await finish(work, part.call, "error", about.refused);
    return false;
  }
  const proposal = await proposalOf(work, ready, about);
  const decision = decide(proposal, await work.policy());
  // What a rule has come to forbid since, no earlier word allows; a person's own denial is told in that person's words.
  const stands = decision.decision !== "deny" || part.answer?.choice === "deny";
  if (part.answer && stands && answersFor(part, proposal)) return answered(work, part, proposal, about);
  if (decision.decision === "deny") {
    await finish(work, part.call, "denied", decision.why);
    return false;
  }
  if (decision.decision === "allow") return true;
  const { title, command, cwd } = about;
  await intend(work, [
    ...(part.answer ? [askedAgain(part)] : []),
    {
      type: "ask_opened",
      data: {
        ...(await work.newAsk()),
        kind: "approval",
        title: `${part.name}: ${title.slice(0, 300)}`,
        call: part.call,
        digest: proposal.digest,
        ...(command !== undefined && { command }),
        ...(cwd !== undefined && { cwd }),
        details: [
          ...servedBy(about), // first, since what a call is given may be long
          ...askDetails(args, [command ?? null, cwd ?? null]),
          ...leadsTo(about),
          ...(isWalledIn(work, tool) ? [{ name: "sandbox", text: "it runs inside" }] : []),
        ],
        choices: [...(decision.eachTime ? EACH_TIME_CHOICES : APPROVAL_CHOICES)],
      },
    },
  ]);
  return false;
}

/** Approved was what the card showed. What has become of it since (another workspace, another server) was not; a denial stands. */
function answersFor({ answer, asked }: ToolPart, { digest }: Proposal): boolean {
  return asked === null || asked === digest || answer?.choice === "deny";
}

function askedAgain({ name }: ToolPart): NewFact {
  const text = `What was approved is no longer what would run, so it is asked about again: ${name}.`;
  return { type: "notice", data: { level: "warn", text } };
}

function leadsTo({ leadsTo: text }: About): AskDetail[] {
  return text === undefined ? [] : [{ name: "leads to", text }];
}

function servedBy({ server }: About): AskDetail[] {
  return server ? [{ name: "MCP server", text: server.shown }] : [];
}

/** Without its sandbox it would be another thing. */
function isWalledIn({ sandboxed }: ToolWork, { kind }: Tool): boolean {
  return kind === "command" && sandboxed;
}

async function answered(work: ToolWork, part: ToolPart, proposal: Proposal, about: About): Promise<boolean> {
  const { choice, text } = part.answer ?? {};
  if (choice === "once") return true;
  if (choice === "session" || choice === "always") {
    const rule = exactRule(proposal, shownRule(about));
    // One or the other: a rule that is taken back must not live on in the session that it was made in.
    if (choice === "always") await work.saveRule(rule, part.call);
    else await work.session.append([{ type: "rule_added", data: rule }]);
    return true;
  }
  await finish(
    work,
    part.call,
    "denied",
    text ? `The person denied this: ${text}` : "The person denied this.",
  );
  return false;
}

/** By its title alone, two rules that are for two servers of one name would read the same. */
function shownRule({ title, command, server }: About): string {
  return command ?? (server ? `${title} (${server.shown})` : title);
}

async function start(work: ToolWork, { part, tool, args }: Ready): Promise<void> {
  const { call } = part;
  const gone = await work.openWorkspace();
  if (gone !== undefined) return finish(work, call, "error", gone);
  switch (tool.kind) {
    case "plain": {
      const prepared = await prepare(work, tool, args);
      if (work.signal.aborted) return;
      if (!prepared.ok) return finish(work, call, "error", prepared.result);
      const { trace } = prepared;
      const started = { call, ...(trace !== undefined && { trace }) };
      if (!(await intend(work, [{ type: "tool_started", data: started }]))) return;
      return runPlain(work, call, tool, args, trace);
    }
    case "command":
      return startCommand(work, call, await commandOf(work, tool, args));
    case "delegate":
      return runDelegate(work, call, tool.delegation(args));
    case "ask":
      throw new Error(`${part.name} is answered, not started`);
  }
}

/** An executor died while this ran: its own trace decides first, then what kind of effect it has. */
async function resume(work: ToolWork, ready: Ready, judge: () => Promise<boolean>): Promise<void> {
  const { part, tool, args } = ready;
  const { call } = part;
  switch (tool.kind) {
    case "command":
      return resumeCommand(work, part, await commandOf(work, tool, args), judge);
    case "delegate":
      return resumeDelegate(work, call, tool.delegation(args), judge);
    case "plain":
      if (tool.effect !== "unsafe") return runPlain(work, call, tool, args, part.trace);
      return finish(work, call, "unknown", UNKNOWN);
    case "ask":
      throw new Error(`${part.name} is answered, not started`);
  }
}

/** A tool that fails is told to the model, which can do something else: it is no reason to end the turn. */
async function prepare(work: ToolWork, tool: PlainTool, args: unknown): Promise<Prepared> {
  try {
    return (await tool.prepare?.(args, work.place)) ?? { ok: true, trace: undefined };
  } catch (error) {
    return { ok: false, result: toolFailed(error) };
  }
}

function toolFailed(error: unknown): string {
  return `The tool itself failed: ${error instanceof Error ? error.message : String(error)}`;
}

/** What a search may be about is more than what its agent may read. */
async function commandOf(
  work: ToolWork,
  tool: Extract<Tool, { kind: "command" }>,
  args: unknown,
): Promise<CommandSpec> {
  const { subject, path } = await tool.about(args, work.place);
  const withheld = path ? withheldFrom({ tool: tool.name, subject, path }, await work.policy()) : [];
  return tool.command(args, work.place, withheld);
}

async function runPlain(
  work: ToolWork,
  call: string,
  tool: Tool,
  args: unknown,
  trace: unknown,
): Promise<void> {
  if (tool.kind !== "plain") return;
  failpoint("after-intent");
  const outcome = await tool
    .run(args, { ...work.place, call, trace, signal: work.signal })
    .catch((error: unknown) => ({ status: "error" as const, result: toolFailed(error) }));
  failpoint("after-effect");
  if (work.signal.aborted) return; // a stop is told by the stop's own facts
  await finish(work, call, outcome.status, outcome.result);
}

/** Judged anew unless it is under way: what the other may do, or this one, may have become something else since. */
async function resumeDelegate(
  work: ToolWork,
  call: string,
  delegation: Delegation,
  mayRun: () => Promise<boolean>,
): Promise<void> {
  const { session, delegates } = work;
  if (session.view.delegates.some((delegate) => delegate.call === call)) return; // its return wakes us
  if (await mayRun()) return runDelegate(work, call, delegation);
  if (!partOf(work, call)) await delegates.stop(childId(session.id, call)); // it may have been made, and waits to be let go
}

async function runDelegate(work: ToolWork, call: string, delegation: Delegation): Promise<void> {
  const { session, delegates } = work;
  const isNew = partOf(work, call)?.state === "proposed";
  if (isNew && !(await intend(work, [{ type: "tool_started", data: { call } }]))) return;
  const child = await delegates.create(session, call, delegation);
  if ("refused" in child) return finish(work, call, "error", child.refused);
  const { background } = delegation;
  const delegated: NewFact = { type: "delegated", data: { session: child.session, call, background } };
  const going = `Session ${child.session} works on it; its result comes as an input.`;
  await session.append(background ? [delegated, finished(call, "ok", going)] : [delegated]);
  await delegates.begin(session.id, child.session);
}

async function openClarify(
  work: ToolWork,
  part: ToolPart,
  {
    title,
    choices,
    multiple,
  }: { title: string; choices: { id: string; label: string }[]; multiple: boolean },
): Promise<void> {
  await intend(work, [
    {
      type: "ask_opened",
      data: { ...(await work.newAsk()), kind: "clarify", title, call: part.call, choices, multiple },
    },
  ]);
}

function proposed({ call, name, args, id }: ToolPart, effect: FactData<"tool_proposed">["effect"]): NewFact {
  return {
    type: "tool_proposed",
    data: { step: id.slice(0, id.lastIndexOf(".")), call, name, args, effect },
  };
}

async function proposalOf(work: ToolWork, { part, tool, args }: Ready, about: About): Promise<Proposal> {
  // Exactly what will run: the same things that the card shows, and of a server all that is behind its name.
  const shown = [
    part.name,
    part.args,
    about.cwd,
    ...leadsTo(about).map(({ text }) => text),
    ...(isWalledIn(work, tool) ? [{ sandbox: true }] : []),
    ...(about.server ? [{ server: about.server.digest }] : []),
  ];
  const digest = createHash("sha256").update(JSON.stringify(shown)).digest("hex");
  const harmless = await isHarmless(work, tool, args, about);
  const { subject, path } = about;
  const command = tool.kind === "command" && about.command !== undefined;
  return { tool: part.name, subject, ...(path && { path }), command, digest, harmless };
}

async function isHarmless(work: ToolWork, tool: Tool, args: unknown, about: About): Promise<boolean> {
  if (tool.kind === "command") return about.harmless || isWalledIn(work, tool);
  if (tool.kind !== "delegate") return about.harmless;
  // Another of its own kind asks whatever this one would have to ask.
  const { profile } = tool.delegation(args);
  return about.harmless && (profile === undefined || !(await work.allowsMore(profile)));
}

function answerText(
  { text, values, choice }: FactData<"ask_answered">["answer"],
  choices: { id: string; label: string }[],
): string {
  const label = (id: string) => choices.find((candidate) => candidate.id === id)?.label ?? id;
  const chosen = (values ?? (choice === undefined ? [] : [choice])).map(label);
  return [chosen.join(", "), text ?? ""].filter((part) => part !== "").join(": ");
}

function partOf(work: ToolWork, call: string): ToolPart | undefined {
  return openCalls(work.session.view).find((part) => part.call === call);
}
