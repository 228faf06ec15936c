// The tools of the simulation: one of each kind, whose effects are counted.
import { z } from "zod";
import { ask } from "../../src/tool/ask.ts";
import { delegate } from "../../src/tool/delegate.ts";
import { shell } from "../../src/tool/shell.ts";
import type { Effect, Tool } from "../../src/tool/tool.ts";
import type { Ledger } from "./ledger.ts";
import type { Life, World } from "./world.ts";

const Args = z.strictObject({ ms: z.number() });

export function toolLink(world: World, ledger: Ledger, life: Life, die: () => void): Map<string, Tool> {
  /** Takes effect half-way: whoever dies over it may or may not have had it. */
  const plain = (name: string, effect: Effect): Tool<z.infer<typeof Args>> => ({
    name,
    description: name,
    args: Args,
    effect,
    kind: "plain",
    about: (_, { workspace }) => ({ title: name, subject: name, cwd: workspace, harmless: true }),
    run: ({ ms }, { session, call }) =>
      new Promise((resolve) => {
        world.after(ms / 2, life, `${name} ${call} takes effect`, () => {
          ledger.ran(session, call);
          world.after(ms / 2, life, `${name} ${call} is done`, () =>
            resolve({ status: "ok", result: `${name} is done` }),
          );
        });
      }),
  });
  const put = plain("put", "idempotent");
  const poison: Tool<Record<string, never>> = {
    name: "poison",
    description: "poison",
    args: z.strictObject({}),
    effect: "read",
    kind: "plain",
    about: (_, { workspace }) => ({ title: "poison", subject: "poison", cwd: workspace, harmless: true }),
    run: () =>
      new Promise(() => {
        world.soon(life, "poison is taken", die);
      }),
  };
  const tools = [
    shell,
    ask,
    delegate,
    plain("look", "read"),
    { ...put, prepare: () => Promise.resolve({ ok: true, trace: "as it was" }) },
    plain("launch", "unsafe"),
    poison,
  ];
  return new Map(tools.map((tool) => [tool.name, tool as Tool])); // each parses its own arguments
}
