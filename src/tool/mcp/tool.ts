// A tool of an MCP server as one of an agent's. What it does is the server's affair and not known here: unless the
// configuration says otherwise it is never repeated, and a person is asked.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Effect, Outcome, Tool } from "../tool.ts";
import type { DescribedTool } from "./described.ts";
import { outcomeOf } from "./result.ts";
import type { McpServer } from "./server.ts";

const Args = z.record(z.string(), z.unknown());
type Args = z.infer<typeof Args>;

/** Providers take no longer ones, and no other characters. */
const NAME_MAX_CHARS = 64;
const TITLE_MAX_CHARS = 300;
const DESCRIPTION_MAX_CHARS = 8_000;

export function mcpTool(server: McpServer, described: DescribedTool): Tool<Args> {
  const { config } = server;
  const effect: Effect = config.effects[described.name] ?? config.effects["*"] ?? "unsafe";
  return {
    name: toolName(server.name, described.name),
    description: (described.description ?? described.title ?? described.name).slice(0, DESCRIPTION_MAX_CHARS),
    args: Args,
    parameters: described.inputSchema,
    effect,
    kind: "plain",
    async about(args) {
      const subject = JSON.stringify(args);
      return {
        title: `${described.name} of ${server.name} ${subject}`.slice(0, TITLE_MAX_CHARS),
        subject,
        server: await server.behind(),
        harmless: effect === "read",
      };
    },
    prepare: async () => ({ ok: true, trace: (await server.behind()).digest }),
    async run(args, { trace, signal }) {
      const isAnother = typeof trace === "string" && trace !== (await server.behind()).digest;
      return isAnother ? begunElsewhere(server) : run(server, described.name, effect, args, signal);
    },
  };
}

/** `<server>__<tool>`; one that has to be changed for it gets a mark, lest two become one. */
export function toolName(server: string, tool: string): string {
  const whole = `${server}__${tool}`;
  const fit = whole.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  if (fit === whole && whole.length <= NAME_MAX_CHARS) return whole;
  const mark = createHash("sha256").update(whole).digest("hex").slice(0, 8);
  return `${fit.slice(0, NAME_MAX_CHARS - mark.length - 1)}_${mark}`;
}

/** Made anew after a crash it would be made by whom nobody has judged: as a call of its own it is. */
function begunElsewhere({ name }: McpServer): Outcome {
  const result =
    `The MCP server "${name}" is another program or address by now than the one that this was begun with, ` +
    "which gave no answer. It can be tried again.";
  return { status: "error", result };
}

async function run(
  server: McpServer,
  tool: string,
  effect: Effect,
  args: Args,
  signal: AbortSignal,
): Promise<Outcome> {
  const called = await server.call(tool, args, signal);
  if (called.answered)
    return "refused" in called ? { status: "error", result: called.refused } : outcomeOf(called.result);
  if ("unsent" in called)
    return {
      status: "error",
      result: `Nothing was done: the MCP server "${server.name}" is not there: ${called.why}`,
    };
  const lost = `The MCP server "${server.name}" gave no answer: ${called.why}.`;
  if (effect !== "unsafe") return { status: "error", result: `${lost} It can be tried again.` };
  return {
    status: "unknown",
    result: `${lost} It is not known whether this took effect: verify before you go on.`,
  };
}
