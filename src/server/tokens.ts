// Tokens: credentials for programs and for persons at a command line. A token is shown once; its hash is kept.
import { z } from "zod";
import * as http from "../protocol/http.ts";
import { hashOf } from "./access.ts";
import { commandOf, refuseReused, refuseUndone } from "./command.ts";
import type { Context } from "./context.ts";
import { newDeed, tellDeed } from "./deed.ts";
import { pageOf, pageQuery } from "./page.ts";
import { secretFor } from "./secret.ts";
import type { App } from "./zod.ts";

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
      const { secret: token, command } = secretFor(context, request, "token");
      const id = ids.next("tok");
      const deed = newDeed(context, request, "token_made", { made: id, for: person, kind });
      const made = await store.addToken({ id, person, kind, name, hash: hashOf(token) }, command, deed);
      if (!made.ok) refuseReused();
      tellDeed(request, { ...deed, what: { ...deed.what, made: made.token.id } });
      return reply
        .code(201)
        .header("cache-control", "no-store")
        .send({ ...made.token, token });
    },
  );
  app.get(
    "/api/tokens",
    {
      schema: {
        summary: "List tokens, without their secrets",
        querystring: http.ListPage,
        response: { 200: http.TokenList },
      },
    },
    async (request) => {
      const query = pageQuery("tok", request.query);
      return pageOf(await store.tokens(), query);
    },
  );
  app.delete(
    "/api/tokens/:id",
    {
      schema: {
        summary: "Revoke a token; its open streams are closed",
        params: z.object({ id: z.string() }),
        answers: { 204: [] },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const deed = newDeed(context, request, "token_revoked", { revoked: id });
      const revoked = await store.revokeToken(id, commandOf(request), deed);
      if (!revoked.ok) refuseUndone(revoked.code, "token", id);
      tellDeed(request, deed);
      return reply.code(204).send();
    },
  );
}
