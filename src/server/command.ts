// Idempotency-Key: one key, one effect, the same answer. The store keeps the answer with the effect.
import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { DamagedEvent, type Command, type Store } from "../store/store.ts";
import type { Context } from "./context.ts";
import { Refusal, refuse } from "./refusal.ts";

const KEY_MAX_CHARS = 200;

/** `content` is what the body says, where that is not JSON. */
export function commandOf(request: FastifyRequest, content?: string): Command | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || key === "" || key.length > KEY_MAX_CHARS)
    refuse(
      "bad_request",
      `An Idempotency-Key has 1 to ${KEY_MAX_CHARS} characters; a random UUID is a good one.`,
    );
  const { person, kind } = request.caller;
  return { scope: `${person}/${kind}`, key, digest: digestOf(request, content) };
}

/** What came of it, if it was carried out before. */
export async function recalled<Done extends { ok: true }>(
  store: Store,
  command: Command | undefined,
): Promise<Done | undefined> {
  const earlier = command && (await store.recall<Done>(command));
  return earlier && !earlier.ok ? refuseReused() : earlier;
}

/**
 * What was carried out before under this key is not refused the second time, whatever has become of what it names. Looked
 * up only then: most requests come once.
 */
export async function unlessDone<Done extends { ok: true }>(
  store: Store,
  command: Command | undefined,
  carryOut: () => Promise<Done>,
): Promise<Done> {
  try {
    return await carryOut();
  } catch (error) {
    const isRefused = error instanceof Refusal || error instanceof DamagedEvent;
    const earlier = isRefused ? await recalled<Done>(store, command) : undefined;
    if (!earlier) throw error;
    return earlier;
  }
}

/**
 * For an answer that says how things stand after the effect: kept beside it, since that is known only then. Should a crash
 * come between, whoever asks again is told how they stand by then, and the effect is still one.
 */
export async function answeredOnce<Answer>(
  { store }: Context,
  request: FastifyRequest,
  carryOut: () => Promise<Answer>,
): Promise<Answer> {
  const command = commandOf(request);
  if (!command) return carryOut();
  const own = { ...command, scope: `${command.scope}/answer` };
  const earlier = await recalled<{ ok: true; answer: Answer }>(store, own);
  if (earlier) return earlier.answer;
  const kept = await store.keep(own, { ok: true, answer: await carryOut() });
  return kept.ok ? kept.answer : refuseReused();
}

export function refuseReused(): never {
  refuse(
    "key_reused",
    "This Idempotency-Key was already used for another request. Use a new key for a new request.",
  );
}

export function refuseUndone(code: "not_found" | "key_reused", what: string, id: string): never {
  if (code === "key_reused") refuseReused();
  refuse("not_found", `There is no ${what} "${id.slice(0, 100)}".`);
}

/** Of the request as it was understood: the same wish in another order of keys is the same wish. */
function digestOf({ method, url, body }: FastifyRequest, content?: string): string {
  return createHash("sha256")
    .update(`${method} ${url}\n`)
    .update(content ?? JSON.stringify(body ?? null))
    .digest("hex");
}
