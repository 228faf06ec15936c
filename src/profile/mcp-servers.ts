// The MCP servers that the configuration names, not yet connected to, each with the part of our environment that it may see.
import type { Config } from "../config/schema.ts";
import type { Env } from "../driver/builtin/endpoint.ts";
import { childEnvironment } from "../process/environment.ts";
import { McpServer, type McpOptions } from "../tool/mcp/server.ts";

export function mcpServersOf(
  { mcp }: Pick<Config, "mcp">,
  env: Env,
  log: McpOptions["log"],
): ReadonlyMap<string, McpServer> {
  const servers = Object.entries(mcp).map(([name, config]) => {
    const token = config.tokenEnv === undefined ? undefined : env[config.tokenEnv];
    return new McpServer({
      name,
      config,
      env: childEnvironment(env, config.passEnv, {}),
      token,
      now: () => performance.now(),
      log,
    });
  });
  return new Map(servers.map((server) => [server.name, server]));
}

/** What `doctor` says of each: it is started for that, and ended again. */
export type McpReport = { name: string; tools: number; fault: string | null };

export async function tryMcpServers(config: Pick<Config, "mcp">, env: Env): Promise<McpReport[]> {
  const servers = [...mcpServersOf(config, env, { info: () => {}, warn: () => {} }).values()];
  return Promise.all(
    servers.map(async (server) => {
      await server.settle(new AbortController().signal);
      const { name, state } = server;
      await server.close();
      if (state.state === "open") return { name, tools: state.tools.length, fault: null };
      return { name, tools: 0, fault: state.state === "failed" ? state.why : "it is still starting" };
    }),
  );
}
