// What a page must show of a session, from the server's own projection of its log: one line for each row, part, ask and
// queued input, so that a difference reads like one.
import type { HistoryPage } from "../../src/session/history.ts";
import { textOf } from "../../src/session/parts.ts";
import type { Message, Part, ToolPart, View } from "../../src/session/view.ts";

export type Reading = { fetch(path: string): Promise<Response> };

export type Projection = { view: View; messages: Message[] };

const PAGE_MESSAGES = 200;
const PAGES_MAX = 1_000;

/** The view, and before it every page of history back to the beginning. */
export async function projectionOf(server: Reading, session: string): Promise<Projection> {
  const { view } = await get<{ view: View }>(server, `/api/sessions/${session}`);
  let { messages } = view;
  let before = view.earlier > 0 ? (messages[0]?.position ?? null) : null;
  for (let pages = 0; before !== null; pages++) {
    if (pages >= PAGES_MAX) throw new Error(`${session} has no beginning within ${PAGES_MAX} pages`);
    const page: HistoryPage = await get(
      server,
      `/api/sessions/${session}?before=${before}&limit=${PAGE_MESSAGES}`,
    );
    messages = [...page.messages, ...messages];
    before = page.next;
  }
  return { view, messages };
}

export function linesOf({ view, messages }: Projection): string[] {
  return [
    ...messages.flatMap((message) => [rowLine(message), ...partLines(message)]),
    ...view.asks.map(({ ask }) => `ask ${ask}`),
    ...view.queue.map(({ text }) => `queued: ${plain(textOf(text))}`),
  ];
}

/** Runs of white space are as the layout makes them, on both sides. */
export function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function rowLine(message: Message): string {
  const head = `${message.kind} ${message.id}`;
  switch (message.kind) {
    case "input":
      return `${head}: ${plain(textOf(message.text))}`;
    case "notice":
      return `${head}: ${plain(message.text)}`;
    case "step":
      return `${head} ${message.state}`;
    case "turn_end":
      return `${head} ${message.outcome}`;
    case "divider":
      return `${head} ${message.divider}`;
    case "task":
      return head;
  }
}

function partLines(message: Message): string[] {
  return message.kind === "step" ? message.parts.map((part) => `  ${partLine(part)}`) : [];
}

function partLine(part: Part): string {
  return part.kind === "tool"
    ? `tool ${part.id} ${outcomeOf(part)}`
    : `${part.kind} ${part.id}: ${plain(part.text)}`;
}

function outcomeOf({ state, status, exit }: ToolPart): string {
  if (state === "started") return "running";
  if (state !== "finished") return "pending";
  if (status === "ok") return exit === null || exit === 0 ? "ok" : "bad";
  return status === "unknown" || status === null ? "unknown" : "bad";
}

async function get<T>(server: Reading, path: string): Promise<T> {
  const answer = await server.fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T; // the API's own schema made it
}
