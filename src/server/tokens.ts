// Tokens: credentials for programs and for persons at a command line. A token is shown once; its hash is kept.
import { createHmac } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { Command } from "../store/store.ts";
import { hashOf, secretOf } from "./access.ts";
import { commandOf, refuseReused } from "./command.ts";
import type { Context } from "./context.ts";
import { refuse } from "./refusal.ts";
import type { App } from "./zod.ts";

const SECRET_BYTES = 32;

export function tokenRoutes(app: App, context: Context): void {
  const { store, ids } = context;
  app.post(
    "/api/tokens",
    {
      schema: {
        summary: "Make a token; it is shown this once",
        body: http.NewToken,
        response: { 201: http.MadeToken },
      },
    },
    async (request, reply) => {
      const { name, person = request.caller.person, kind = "program" } = request.body;
      const command = ownCommand(request);
      const token = secretFor(context, request, command);
      const made = await store.addToken(
        { id: ids.next("tok"), person, kind, name, hash: hashOf(token) },
        command,
      );
      if (!made.ok) refuseReused();
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({ ...made.token, token });
    },
  );
  app.get(
    "/api/tokens",
    { schema: { summary: "List tokens, without their secrets", response: { 200: http.TokenList } } },
    async () => ({ items: await store.tokens() }),
  );
  app.delete(
    "/api/tokens/:id",
    {
      schema: {
        summary: "Revoke a token; its open streams are closed",
        params: z.object({ id: z.string() }),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      if (!(await store.revokeToken(id))) refuse("not_found", `There is no token "${id.slice(0, 100)}".`);
      return reply.code(204).send();
    },
  );
}

export function newSecret(randomBytes: Context["randomBytes"]): string {
  return `hf_${Buffer.from(randomBytes(SECRET_BYTES)).toString("base64url")}`;
}

/** Another credential under the same key is another wish: it could not be given the same secret. */
function ownCommand(request: FastifyRequest): Command | undefined {
  const command = commandOf(request);
  return command && { ...command, digest: `${command.digest}/${request.caller.id}` };
}

/**
 * A retry must get the same secret, and the store has only its hash: so with a key the secret is made from the key and the
 * caller's own secret, which the caller sends again and nobody keeps.
 */
function secretFor(
  { access, store, randomBytes }: Context,
  request: FastifyRequest,
  command: Command | undefined,
): string {
  const callers = secretOf(request.headers, access.cookie);
  if (command === undefined || callers === undefined) return newSecret(randomBytes);
  return newSecret(() =>
    createHmac("sha256", callers).update(`token\n${store.id}\n${command.scope}\n${command.key}`).digest(),
  );
}
