// Secrets that are shown once: tokens and login links. The store keeps only their hashes.
import { createHmac } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Command } from "../store/store.ts";
import { secretOf } from "./access.ts";
import { commandOf } from "./command.ts";
import type { Context } from "./context.ts";

const SECRET_BYTES = 32;

export function newSecret(randomBytes: Context["randomBytes"]): string {
  return `hf_${Buffer.from(randomBytes(SECRET_BYTES)).toString("base64url")}`;
}

/**
 * A retry must get the same secret, and the store has only its hash: so with a key the secret is made from the key and the
 * caller's own secret, which the caller sends again and nobody keeps.
 */
export function secretFor(
  { access, store, randomBytes }: Context,
  request: FastifyRequest,
  purpose: "token" | "login-link",
): { secret: string; command: Command | undefined } {
  const command = ownCommand(request);
  const callers = secretOf(request.headers, access.cookie);
  if (command === undefined || callers === undefined) return { secret: newSecret(randomBytes), command };
  const text = `${purpose}\n${store.id}\n${command.scope}\n${command.key}`;
  return { secret: newSecret(() => createHmac("sha256", callers).update(text).digest()), command };
}

/** Another credential under the same key is another wish: it could not be given the same secret. */
function ownCommand(request: FastifyRequest): Command | undefined {
  const command = commandOf(request);
  return command && { ...command, digest: `${command.digest}/${request.caller.id}` };
}
