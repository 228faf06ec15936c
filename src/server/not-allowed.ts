// A method that an address does not have: 405 with those that it has. Made from the routes themselves, when all are there.
import type { RouteOptions } from "fastify";
import { refuse } from "./refusal.ts";
import type { App } from "./zod.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

export function refuseOtherMethods(app: App, routes: readonly RouteOptions[]): void {
  const known = Map.groupBy(routes, ({ url }) => url);
  for (const [url, there] of known) {
    const has = new Set(there.flatMap(({ method }) => method));
    const allow = METHODS.filter((method) => has.has(method)).join(", ");
    app.route({
      method: METHODS.filter((method) => !has.has(method)),
      url,
      config: { notAllowed: true },
      exposeHeadRoute: false,
      // Before the body is looked at: what it is made of does not matter here.
      onRequest: async ({ method }) =>
        refuse("method_not_allowed", `There is no ${method} on this address, only ${allow}.`, {}, { allow }),
      handler: () => undefined,
    });
  }
}
