// What lies on another host is asked of a server that runs there, as the caller would ask it: with the caller's own credential.
import type { IncomingHttpHeaders } from "node:http";
import * as http from "../protocol/http.ts";
import type { ProcessRow } from "../store/store.ts";
import type { Context } from "./context.ts";
import { refuse } from "./refusal.ts";

const OUTPUT_WITHIN_MS = 5_000;
/** A list is not worth waiting for whoever is slow: it can be shown without. */
const ROWS_WITHIN_MS = 2_000;
/** Asked on behalf of another server: not passed on once more. */
const PASSED_ON = "holdfast-passed-on";

type Output = typeof http.ProcessOutput._output;

export async function outputElsewhere(
  context: Context,
  headers: IncomingHttpHeaders,
  { id, host }: ProcessRow,
  { offset, limit }: { offset: number; limit: number },
): Promise<Output> {
  const path = `/api/processes/${id}/output?offset=${offset}&limit=${limit}`;
  const asked = await ask(context, headers, host, path, OUTPUT_WITHIN_MS);
  if (asked.ok) return http.ProcessOutput.parse(asked.answer);
  return refuse("host_down", `The output of ${id} is on the host "${host}", ${asked.why}.`);
}

/** How it is doing and what it said last; undefined when its host can't be asked. */
export async function rowElsewhere(
  context: Context,
  headers: IncomingHttpHeaders,
  { id, host }: ProcessRow,
): Promise<http.Process | undefined> {
  const asked = await ask(context, headers, host, `/api/processes/${id}`, ROWS_WITHIN_MS);
  return asked.ok ? http.Process.parse(asked.answer) : undefined;
}

/** The processes that this answer tells of, as those hosts know them. */
export async function rowsElsewhere(
  context: Context,
  headers: IncomingHttpHeaders,
  path: string,
  hosts: ReadonlySet<string | null>,
): Promise<ReadonlyMap<string, http.Process>> {
  const answers = await Promise.all(
    Array.from(hosts, async (host) => {
      const asked = await ask(context, headers, host, path, ROWS_WITHIN_MS);
      if (!asked.ok) return [];
      const { items } = http.ProcessList.parse(asked.answer);
      return items.filter((item) => item.host === host);
    }),
  );
  return new Map(answers.flat().map((item) => [item.id, item]));
}

type Asked = { ok: true; answer: unknown } | { ok: false; why: string };

async function ask(
  { store, log }: Context,
  headers: IncomingHttpHeaders,
  host: string | null,
  path: string,
  withinMs: number,
): Promise<Asked> {
  const nodes = await store.nodes();
  const url = nodes.find((node) => node.alive && node.host === host && node.url !== null)?.url;
  if (url == null || headers[PASSED_ON] !== undefined)
    return { ok: false, why: "and no server there can be asked" };
  const { authorization, cookie } = headers;
  try {
    const answer = await fetch(new URL(path, url), {
      headers: {
        [PASSED_ON]: "1",
        ...(authorization !== undefined && { authorization }),
        ...(cookie !== undefined && { cookie }),
      },
      redirect: "error",
      signal: AbortSignal.timeout(withinMs),
    });
    if (answer.ok) return { ok: true, answer: await answer.json() };
    log.warn({ url, status: answer.status, path }, "another host did not answer for its processes");
  } catch (error) {
    log.warn({ url, err: error, path }, "another host could not be asked about its processes");
  }
  return { ok: false, why: `which does not answer at ${url}` };
}
