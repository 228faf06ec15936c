// Idempotency-Key: one key, one effect, the same answer. The store keeps the answer with the effect.
import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Command } from "../store/store.ts";
import { refuse } from "./refusal.ts";

const KEY_MAX_CHARS = 200;

export function commandOf(request: FastifyRequest): Command | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || key === "" || key.length > KEY_MAX_CHARS)
    refuse(
      "bad_request",
      `An Idempotency-Key has 1 to ${KEY_MAX_CHARS} characters; a random UUID is a good one.`,
    );
  const { person, kind } = request.caller;
  return { scope: `${person}/${kind}`, key, digest: digestOf(request) };
}

export function refuseReused(): never {
  refuse(
    "key_reused",
    "This Idempotency-Key was already used for another request. Use a new key for a new request.",
  );
}

/** Of the request as it was understood: the same wish in another order of keys is the same wish. */
function digestOf({ method, url, body }: FastifyRequest): string {
  return createHash("sha256")
    .update(`${method} ${url}\n`)
    .update(JSON.stringify(body ?? null))
    .digest("hex");
}
