// What an agent has to work with: tools of its profile's own, and those of MCP servers, which come and go with them.
import type { McpServer, McpState } from "./mcp/server.ts";
import { mcpTool } from "./mcp/tool.ts";
import type { Tool } from "./tool.ts";

export type Toolbox = {
  /** What there is to work with now; the same object as long as nothing has changed. */
  tools(): ReadonlyMap<string, Tool>;
  /** False when waiting may bring more of them. */
  isSettled(): boolean;
  settle(signal: AbortSignal): Promise<void>;
  /** What is not there, and why. */
  missing(): readonly string[];
  /** What their servers say of how to use them. */
  notes(): readonly string[];
};

const NOTE_MAX_CHARS = 4_000;

export function toolbox(own: ReadonlyMap<string, Tool>, servers: readonly McpServer[] = []): Toolbox {
  let known: { states: readonly McpState[]; tools: ReadonlyMap<string, Tool> } | undefined;
  return {
    tools() {
      const isSame = known !== undefined && servers.every(({ state }, at) => state === known?.states[at]);
      if (!known || !isSame)
        known = { states: servers.map(({ state }) => state), tools: withOffered(own, servers) };
      return known.tools;
    },
    isSettled: () => servers.every((server) => server.isSettled()),
    async settle(signal) {
      await Promise.all(servers.map((server) => server.settle(signal)));
    },
    missing: () => servers.flatMap(missingWords),
    notes: () => servers.flatMap(noteOf),
  };
}

function withOffered(
  own: ReadonlyMap<string, Tool>,
  servers: readonly McpServer[],
): ReadonlyMap<string, Tool> {
  const tools = new Map(own);
  for (const server of servers) {
    if (server.state.state !== "open") continue;
    for (const described of server.state.tools) {
      const tool = mcpTool(server, described) as Tool;
      tools.set(tool.name, tool);
    }
  }
  return tools;
}

function missingWords({ name, state }: McpServer): string[] {
  if (state.state === "open") return [];
  const why = state.state === "failed" ? state.why : "it is still starting";
  return [`The MCP server "${name}" is not there, so its tools are not either: ${why}`];
}

function noteOf({ name, state }: McpServer): string[] {
  if (state.state !== "open" || state.instructions === "") return [];
  return [`Of the tools ${name}__…: ${state.instructions.slice(0, NOTE_MAX_CHARS)}`];
}
