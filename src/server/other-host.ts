// What lies on another host is asked of a server that runs there, as the caller would ask it: with the caller's own credential.
import type { FastifyRequest } from "fastify";
import * as http from "../protocol/http.ts";
import type { ProcessRow } from "../store/store.ts";
import type { Context } from "./context.ts";
import { refuse } from "./refusal.ts";

const ANSWER_WITHIN_MS = 5_000;
/** Asked on behalf of another server: not passed on once more. */
const PASSED_ON = "holdfast-passed-on";

export async function outputElsewhere(
  { store, log }: Context,
  request: FastifyRequest,
  { id, host }: ProcessRow,
): Promise<typeof http.ProcessOutput._output> {
  const nodes = await store.nodes();
  const url = nodes.find((node) => node.alive && node.host === host && node.url !== null)?.url;
  if (url == null || request.headers[PASSED_ON] !== undefined)
    return refuse(
      "host_down",
      `The output of ${id} is on the host "${host}", and no server there can be asked.`,
    );
  const { authorization, cookie } = request.headers;
  try {
    const answer = await fetch(new URL(request.url, url), {
      headers: {
        [PASSED_ON]: "1",
        ...(authorization !== undefined && { authorization }),
        ...(cookie !== undefined && { cookie }),
      },
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    if (answer.ok) return http.ProcessOutput.parse(await answer.json());
    log.warn({ url, status: answer.status, process: id }, "another host did not give a process's output");
  } catch (error) {
    log.warn({ url, err: error, process: id }, "another host could not be asked for a process's output");
  }
  return refuse(
    "host_down",
    `The output of ${id} is on the host "${host}", which does not answer at ${url}.`,
  );
}
