// What each slash command does in the page.
import { SLASH_COMMANDS, type SlashName } from "../../src/client/slash.ts";
import { allowingChoices, isDenial } from "../../src/session/answer.ts";
import { failedTurn } from "../../src/session/retry.ts";
import type { OpenAsk } from "../../src/session/view.ts";
import { withKnownCost } from "../../src/session/usage.ts";
import { sessionPath } from "../address.ts";
import { openPanel } from "../panel/open.ts";
import { navigate } from "../route.ts";
import { shownTitle } from "../title.ts";
import { findSession } from "./find-session.ts";
import { SlashFault, type SlashDesk, type Told } from "./slash-desk.ts";
import { shortNumber, usageWords } from "./usage-words.ts";

/** Undefined when what it did is to be seen without a word. */
export async function runSlash(desk: SlashDesk, name: SlashName, rest: string): Promise<Told | undefined> {
  return (await RUNS[name](desk, rest)) ?? undefined;
}

type Run = (desk: SlashDesk, rest: string) => Promise<Told | void> | Told | void;

const RUNS: Record<SlashName, Run> = {
  help,
  stop,
  steer: (desk, text) => {
    sessionOf(desk);
    desk.outbox.send(needed(text, "/steer <text>"), "steer");
  },
  queue,
  approve: (desk, choice) => answer(desk, choice === "" ? "once" : choice),
  deny: (desk, why) => answer(desk, "deny", why),
  retry,
  undo: async (desk) => goTo(await desk.client.undo(sessionOf(desk))),
  fork: async (desk) => goTo(await desk.client.forkSession(sessionOf(desk))),
  new: () => navigate("/new"),
  sessions,
  resume: async (desk, name) => goTo(await findSession(desk, needed(name, "/resume <session>"))),
  title: async (desk, title) =>
    void (await desk.client.patchSession(sessionOf(desk), { title: needed(title, "/title <title>") })),
  model,
  ps: (desk) => {
    sessionOf(desk);
    openPanel();
  },
  rules,
  usage,
  status,
  export: exportSession,
};

function help(): Told {
  const lines = SLASH_COMMANDS.map(({ name, args, about }) => ({
    text: `/${name} ${args}`.trim(),
    note: about,
  }));
  return { title: "Commands. To send a slash as it is, begin with //", lines };
}

async function stop(desk: SlashDesk): Promise<void> {
  const { stopped } = await desk.client.stop(sessionOf(desk));
  if (!stopped) throw new SlashFault("Nothing runs here.");
}

/** One that failed is gone on with; one that ended well is had anew. */
async function retry(desk: SlashDesk): Promise<void> {
  const session = sessionOf(desk);
  if (desk.view && failedTurn(desk.view) !== undefined) return void (await desk.client.retry(session));
  goTo(await desk.client.regenerate(session));
}

async function queue(desk: SlashDesk, text: string): Promise<Told | void> {
  const session = sessionOf(desk);
  if (text === "release") {
    const { released } = await desk.client.releaseQueue(session);
    if (!released) throw new SlashFault("The queue is not held.");
    return;
  }
  if (text !== "") return desk.outbox.send(text, "queue");
  const count = desk.view?.queue.length ?? 0;
  return {
    title: count === 0 ? "Nothing waits." : `What waits stands above the composer: ${count}.`,
    lines: [],
  };
}

async function answer(desk: SlashDesk, choice: string, text = ""): Promise<void> {
  const ask = approvalIn(desk);
  const allowing = allowingChoices(ask);
  if (!isDenial(choice) && !allowing.includes(choice))
    throw new SlashFault(`/approve takes nothing, or one of: ${allowing.join(", ")}.`);
  await desk.client.answerAsk(ask.ask, { choice, ...(text !== "" && { text }) });
}

/** Only what stood there as it was typed: what has taken its place since, nobody meant. */
function approvalIn({ view, outbox: { asked } }: SlashDesk): OpenAsk {
  const open = view?.asks.filter(({ kind }) => kind === "approval") ?? [];
  if (open.length === 0) throw new SlashFault("Nothing waits for an approval here.");
  const first = asked?.find(({ kind }) => kind === "approval");
  if (!first) throw new SlashFault("It was asked after you began this: look at it, and type this anew.");
  const ask = open.find((each) => each.ask === first.ask);
  if (!ask)
    throw new SlashFault("What you began this for is closed: look at what is asked now, and type this anew.");
  return ask;
}

function sessions({ list }: SlashDesk): Told {
  const lines = list.rows().map(({ id, title }) => ({ text: shownTitle(title), href: sessionPath(id) }));
  return { title: "The newest sessions", lines: lines.slice(0, 10) };
}

async function model(desk: SlashDesk, name: string): Promise<Told | void> {
  const session = sessionOf(desk);
  if (name !== "") return void (await desk.client.patchSession(session, { model: name }));
  const { meta } = desk.view ?? {};
  const said = meta?.model ?? `as the profile ${meta?.profile ?? "default"} says`;
  return { title: `Model: ${said}`, lines: [] };
}

async function rules({ client }: SlashDesk): Promise<Told> {
  const lines = (await client.rules()).map(({ decision, tool, shown, match, profile }) => ({
    text: `${decision} ${tool} ${shown ?? match}`,
    note: profile,
  }));
  return {
    title: lines.length === 0 ? "Nothing was allowed for good." : "Allowed or denied for good",
    lines,
  };
}

async function usage(desk: SlashDesk): Promise<Told> {
  sessionOf(desk);
  const used = desk.view?.usage;
  const { total } = await desk.client.usage({ limit: 1 });
  const all = { text: "all sessions", note: usageWords(withKnownCost(total)) };
  if (!used || used.inputTokens + used.outputTokens === 0)
    return { title: "Nothing was used here yet.", lines: [all] };
  const lines = [
    { text: "in", note: `${shortNumber(used.inputTokens)} tokens` },
    { text: "out", note: `${shortNumber(used.outputTokens)} tokens` },
    all,
  ];
  return { title: `This session: ${usageWords(used)}`, lines };
}

async function status({ client }: SlashDesk): Promise<Told> {
  const { sessions: counts, asks, active } = await client.overview();
  const words = Object.entries(counts).flatMap(([name, n]) => (n > 0 ? [`${n} ${name}`] : []));
  if (asks > 0) words.push(asks === 1 ? "1 ask is open" : `${asks} asks are open`);
  const lines = active.slice(0, 10).map(({ id, title, status: now }) => ({
    text: shownTitle(title),
    note: now,
    href: sessionPath(id),
  }));
  return { title: words.join(", ") || "Nothing runs or waits.", lines };
}

function exportSession(desk: SlashDesk, format: string): void {
  const session = sessionOf(desk);
  if (!["", "md", "jsonl"].includes(format)) throw new SlashFault("/export takes nothing, md or jsonl.");
  const link = document.createElement("a");
  link.href = `/api${sessionPath(session)}/export?format=${format || "md"}`;
  link.download = "";
  link.click();
}

function goTo({ id }: { id: string }): void {
  navigate(sessionPath(id));
}

function sessionOf({ session }: SlashDesk): string {
  if (session === undefined) throw new SlashFault("There is no session yet: it begins with what you send.");
  return session;
}

function needed(text: string, usageLine: string): string {
  if (text === "") throw new SlashFault(`Say ${usageLine}.`);
  return text;
}
