// GET /api/check: reads everything that the store keeps and names what is damaged; what `holdfast doctor` asks for.
import * as http from "../protocol/http.ts";
import type { Store } from "../store/store.ts";
import type { Context } from "./context.ts";
import type { App } from "./zod.ts";

export function checkRoutes(app: App, { store }: Context): void {
  let running: ReturnType<Store["check"]> | undefined; // it reads all there is: who asks meanwhile gets the same answer
  app.get(
    "/api/check",
    {
      exposeHeadRoute: false,
      schema: { summary: "Read everything, name what is damaged", response: { 200: http.StoreCheck } },
    },
    async () => {
      running ??= store.check().finally(() => (running = undefined));
      return { store: store.id, dialect: store.dialect, ...(await running) };
    },
  );
}
