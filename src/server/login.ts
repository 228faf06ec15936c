// Logins: how a browser gets its cookie. A one-time link carries a secret behind its #, where no server and no log sees it;
// the page posts it here.
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import * as http from "../protocol/http.ts";
import type { Deed } from "../session/deed.ts";
import type { Command } from "../store/store.ts";
import { hashOf, LOGIN_TTL_MS } from "./access.ts";
import { Attempts } from "./attempts.ts";
import { commandOf, refuseReused, refuseUndone } from "./command.ts";
import type { Context } from "./context.ts";
import { newDeed, noteDeed, tellDeed } from "./deed.ts";
import { deviceOf } from "./device.ts";
import { pageOf, pageQuery } from "./page.ts";
import { refuse } from "./refusal.ts";
import { newSecret, secretFor } from "./secret.ts";
import type { App } from "./zod.ts";

export const LINK_TTL_MS = 10 * 60_000;
/** As long as browsers allow: how long a login lasts is for its row to say, which each use extends. */
const COOKIE_TTL_MS = 400 * 24 * 3600_000;

export function loginRoutes(app: App, context: Context, behindProxy: boolean): void {
  const { store, ids, access, now, randomBytes } = context;
  const attempts = new Attempts(now);

  app.post(
    "/api/login",
    {
      config: { open: true },
      schema: {
        summary: "Log a browser in with a one-time secret",
        body: http.LoginRequest,
        response: { 200: http.Me },
      },
    },
    async (request, reply) => {
      const address = addressOf(request, behindProxy);
      const waitMs = attempts.take(address);
      if (waitMs !== undefined)
        refuse(
          "too_many",
          "Too many login attempts. Wait a little, then try again.",
          {},
          {
            "retry-after": String(Math.ceil(waitMs / 1000)),
          },
        );
      const secret = newSecret(randomBytes);
      const device = deviceOf(request.headers["user-agent"]);
      const redeemed = await store.redeemLoginLink(hashOf(request.body.secret), {
        id: ids.next("lgn"),
        hash: hashOf(secret),
        device,
        ttlMs: LOGIN_TTL_MS,
      });
      if (!redeemed.ok)
        refuse(
          "unauthorized",
          "This login link was used already, or is too old. Run `holdfast login` for a new one.",
        );
      attempts.giveBack(address);
      const { id, person } = redeemed.login;
      request.caller = { id, person, kind: "login", device };
      await noteDeed(context, request, "login_made", { made: id }); // first: nobody gets in without a trace
      setCookie(reply, access.cookie, secret, COOKIE_TTL_MS, isHttps(request, behindProxy));
      return request.caller;
    },
  );

  app.post(
    "/api/logout",
    { schema: { summary: "End this browser's login", answers: { 204: [] } } },
    async (request, reply) => {
      const { kind, id } = request.caller;
      if (kind === "login") {
        const deed = newDeed(context, request, "login_revoked", { revoked: id });
        // The same words by another login are another request.
        const revoked = await store.revokeLogin(id, commandOf(request, id), deed);
        if (!revoked.ok && revoked.code === "key_reused") refuseReused();
        tellDeed(request, deed);
      }
      setCookie(reply, access.cookie, "", 0, isHttps(request, behindProxy));
      return reply.code(204).send();
    },
  );

  app.post(
    "/api/login-links",
    {
      schema: {
        summary: "Make a one-time login link for this person",
        body: http.NoBody,
        response: { 201: http.LoginLink },
      },
    },
    async (request, reply) => {
      const { secret, command } = secretFor(context, request, "login-link");
      const expiresAt = linkExpiry(context);
      const deed = newDeed(context, request, "login_link_made", { expiresAt });
      const link = await addLink(
        context,
        { person: request.caller.person, secret, expiresAt },
        command,
        deed,
      );
      tellDeed(request, { ...deed, what: { expiresAt: link.expiresAt } });
      return reply.code(201).header("cache-control", "no-store").send(link);
    },
  );

  app.get(
    "/api/logins",
    { schema: { summary: "List logins", querystring: http.ListPage, response: { 200: http.LoginList } } },
    async (request) => {
      const query = pageQuery("lgn", request.query);
      return pageOf(await store.logins(), query);
    },
  );
  app.delete(
    "/api/logins/:id",
    {
      schema: {
        summary: "Revoke a login; its open streams are closed",
        params: z.object({ id: z.string() }),
        answers: { 204: [] },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const deed = newDeed(context, request, "login_revoked", { revoked: id });
      const revoked = await store.revokeLogin(id, commandOf(request), deed);
      if (!revoked.ok) refuseUndone(revoked.code, "login", id);
      tellDeed(request, deed);
      return reply.code(204).send();
    },
  );

  app.get(
    "/api/me",
    { schema: { summary: "Who this credential is", response: { 200: http.Me } } },
    async (request) => {
      const { id, person, kind, device } = request.caller;
      return { id, person, kind, device };
    },
  );
}

export function makeLoginLink(context: LinkContext & Pick<Context, "randomBytes">, person: string) {
  const secret = newSecret(context.randomBytes);
  return addLink(context, { person, secret, expiresAt: linkExpiry(context) });
}

type LinkContext = Pick<Context, "store" | "now" | "url">;

function linkExpiry({ now }: LinkContext): string {
  return new Date(now() + LINK_TTL_MS).toISOString();
}

async function addLink(
  { store, url }: LinkContext,
  { person, secret, expiresAt }: { person: string; secret: string; expiresAt: string },
  command?: Command,
  deed?: Deed,
): Promise<z.output<typeof http.LoginLink>> {
  const added = await store.addLoginLink({ hash: hashOf(secret), person, expiresAt }, command, deed);
  if (!added.ok) refuseReused();
  return { url: `${url()}/login#${secret}`, expiresAt: added.expiresAt };
}

function setCookie(reply: FastifyReply, name: string, value: string, ttlMs: number, https: boolean): void {
  void reply.header(
    "set-cookie",
    `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${Math.floor(ttlMs / 1000)}${https ? "; Secure" : ""}`,
  );
}

/** The proxy's word counts only when we were told that there is one; then it is the last to have written. */
function addressOf({ headers, socket }: FastifyRequest, behindProxy: boolean): string {
  const forwarded = behindProxy
    ? [headers["x-forwarded-for"]].flat().at(-1)?.split(",").at(-1)?.trim()
    : undefined;
  return forwarded || (socket.remoteAddress ?? "unknown");
}

function isHttps({ headers, protocol }: FastifyRequest, behindProxy: boolean): boolean {
  return protocol === "https" || (behindProxy && headers["x-forwarded-proto"] === "https");
}
