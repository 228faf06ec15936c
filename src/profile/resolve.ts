// From a named profile to an agent that can work.
import type { Config, ToolName } from "../config/schema.ts";
import type { Driver } from "../driver/driver.ts";
import { costOf } from "../driver/builtin/prices.ts";
import type { Profile } from "../executor/drain.ts";
import { workspaceOf } from "../executor/workspace.ts";
import type { Sandbox } from "../process/sandbox.ts";
import { sandboxFor } from "../process/sandbox.ts";
import type { McpServer } from "../tool/mcp/server.ts";
import type { Tool } from "../tool/tool.ts";
import { toolbox } from "../tool/toolbox.ts";
import { instructionsFor } from "./instructions.ts";
import type { NamedProfile } from "./profiles.ts";
import { toolsThere } from "./tools.ts";

export type Parts = {
  driver: Driver;
  tools: ReadonlyMap<ToolName, Tool>;
  mcp: ReadonlyMap<string, McpServer>;
  sandbox: Sandbox;
  prices: Config["prices"];
  /** HOLDFAST_HOME/workspaces */
  scratchFolder: string;
};

export function resolveProfile(
  { name, model, config }: NamedProfile,
  { driver, tools: all, mcp, sandbox, prices, scratchFolder }: Parts,
): Profile | { unusable: string } {
  if (model === null)
    return {
      unusable: `The profile "${name}" is an external agent (driver = "acp"), which this version can't run.`,
    };
  const tools = new Map<string, Tool>();
  for (const tool of toolsThere(config)) {
    const found = all.get(tool);
    if (found) tools.set(tool, found);
  }
  const servers = [...mcp.values()].filter((server) => config.mcp?.includes(server.name) ?? true);
  const box = toolbox(tools, servers);
  return {
    driver,
    model,
    instructions: (workspace) =>
      instructionsFor(workspace, new Set(tools.keys()), [...box.notes(), config.instructions ?? ""]),
    workspace: (session) => workspaceOf(session, config.workspace, scratchFolder),
    toolbox: box,
    mcp: servers.map((server) => server.name),
    policy: {
      approvals: config.approvals,
      config: config.rules.map(({ tool, match = "*", decision }) => ({ tool, match, decision })),
    },
    contextTokens: config.contextTokens,
    ...(config.askExpiryMinutes !== undefined && { askExpiryMs: config.askExpiryMinutes * 60_000 }),
    sandboxed: sandboxFor(config.sandbox, sandbox).kind === "bubblewrap",
    network: config.sandboxNetwork,
    passEnv: config.passEnv,
    price: (named, usage) => {
      const cost = costOf(usage, named, prices);
      return cost === undefined ? usage : { ...usage, cost };
    },
  };
}
