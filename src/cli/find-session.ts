// A session by what a person calls it: its id or a unique beginning of that, its title, or `latest`.
import type { Client, SessionRow } from "../client/commands.ts";
import { ProblemError } from "../client/errors.ts";
import { Failure } from "./exit.ts";
import { visibleLine } from "./visible.ts";

export type Named = Pick<SessionRow, "id" | "title">;

/** Of `ses_`, ten characters of time and twelve of chance. */
const ID_CHARS = 26;
const PAGE = 200;
/** So many sessions are looked through; a whole id needs no looking. */
const PAGES_MAX = 100;
const CANDIDATES_SHOWN = 10;

export async function findSession(client: Client, name: string): Promise<Named> {
  if (name === "latest") return latest(client);
  if (name.startsWith("ses_")) return name.length >= ID_CHARS ? byId(client, name) : byIdPrefix(client, name);
  return byTitle(client, name);
}

async function latest(client: Client): Promise<Named> {
  const { items } = await client.sessions({ limit: PAGE, archived: false });
  // Pinned ones stand first in the list, however old they are.
  const [newest] = items.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  return newest ?? fail('there are no sessions yet; begin one with: holdfast send new "…"');
}

async function byId(client: Client, id: string): Promise<Named> {
  try {
    return await client.session(id);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404)
      return fail(`there is no session ${visibleLine(id)}`);
    // It is there, and can be exported and deleted, though not looked at.
    if (error instanceof ProblemError && error.problem.code === "damaged") return { id, title: null };
    throw error;
  }
}

/** Of any session: one that has ended or works for another stands in no list, and has an id all the same. */
async function byIdPrefix(client: Client, prefix: string): Promise<Named> {
  const { items: found } = await client.sessions({ id: prefix, limit: PAGE });
  return only(found, `no session's id begins with ${visibleLine(prefix)}`, prefix);
}

/** The whole title, in any case, counts more than one that begins so. */
async function byTitle(client: Client, title: string): Promise<Named> {
  const wanted = title.trim().toLowerCase();
  const begins: Named[] = [];
  for await (const row of everySession(client))
    if (row.title?.toLowerCase().startsWith(wanted)) begins.push(row);
  const whole = begins.filter((row) => row.title?.toLowerCase() === wanted);
  return only(whole.length > 0 ? whole : begins, `no session is called "${visibleLine(title)}"`, title);
}

async function* everySession(client: Client): AsyncGenerator<SessionRow> {
  for (const archived of [false, true]) {
    let after: string | null = null;
    for (let page = 0; page < PAGES_MAX; page++) {
      const list = await client.sessions({ limit: PAGE, archived, ...(after !== null && { after }) });
      yield* list.items;
      after = list.next;
      if (after === null) break;
      if (page === PAGES_MAX - 1)
        throw new Failure(
          "conflict",
          `there are too many sessions to look through; give the whole id, which "holdfast sessions search" shows`,
        );
    }
  }
}

function only(found: readonly Named[], none: string, name: string): Named {
  const [first, second] = found;
  if (!first) return fail(`${none}; see: holdfast sessions list`);
  if (!second) return first;
  const shown = found
    .slice(0, CANDIDATES_SHOWN)
    .map(({ id, title }) => `${id} ${visibleLine(title ?? "")}`.trim());
  const more = found.length > shown.length ? `, and ${found.length - shown.length} more` : "";
  throw new Failure("conflict", `"${visibleLine(name)}" could be any of: ${shown.join(", ")}${more}`, {
    candidates: found.map(({ id, title }) => ({ id, title })),
  });
}

function fail(message: string): never {
  throw new Failure("not_found", message);
}
