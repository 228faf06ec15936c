// From a named profile to an agent that can work.
import type { Config, ToolName } from "../config/schema.ts";
import type { Driver } from "../driver/driver.ts";
import { costOf } from "../driver/builtin/prices.ts";
import type { Profile } from "../executor/drain.ts";
import { workspaceOf } from "../executor/workspace.ts";
import type { Sandbox } from "../process/sandbox.ts";
import { sandboxFor } from "../process/sandbox.ts";
import type { Tool } from "../tool/tool.ts";
import { instructionsFor } from "./instructions.ts";
import type { NamedProfile } from "./profiles.ts";
import { toolsThere } from "./tools.ts";

export type Parts = {
  driver: Driver;
  tools: ReadonlyMap<ToolName, Tool>;
  sandbox: Sandbox;
  prices: Config["prices"];
  /** HOLDFAST_HOME/workspaces */
  scratchFolder: string;
};

export function resolveProfile(
  { name, model, config }: NamedProfile,
  { driver, tools: all, sandbox, prices, scratchFolder }: Parts,
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
  return {
    driver,
    model,
    instructions: (workspace) => instructionsFor(workspace, new Set(tools.keys()), config.instructions),
    workspace: (session) => workspaceOf(session, config.workspace, scratchFolder),
    tools,
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
