// One connection to an MCP server: its tools as it describes them, and calls of them. Loads the SDK, so it is loaded itself
// only when there is a server to connect to.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  ErrorCode,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";
import type { McpConfig } from "../../config/schema.ts";
import { VERSION } from "../../config/version.ts";
import { patientFetch } from "../../driver/builtin/fetch.ts";
import { describedTools, type DescribedTool } from "./described.ts";
import type { Answer } from "./result.ts";
import { ProgramWire } from "./wire.ts";

export type Connection = {
  tools: readonly DescribedTool[];
  /** What the server says of how to use them. */
  instructions: string;
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Called>;
  close(): Promise<void>;
};

export type Called =
  | { answered: true; result: Answer }
  /** The server refused it, by its own word. */
  | { answered: true; refused: string }
  /** It was sent, and nothing was heard of it. */
  | { answered: false; why: string };

export type Connecting = {
  config: McpConfig;
  /** For a program: what it may see. */
  env: Readonly<Record<string, string>>;
  /** For an address: what it is told. */
  token: string | undefined;
  timeoutMs: number;
  /** The server has other tools now. */
  changed: (tools: readonly DescribedTool[]) => void;
  closed: (why: string) => void;
};

const TOOLS_MAX = 256;
const PAGES_MAX = 20;
const CONNECT_MAX_MS = 10_000;

export async function connect(options: Connecting): Promise<Connection> {
  const { config, timeoutMs, changed, closed } = options;
  const wire = await wireOf(options);
  const endWords = () => (wire instanceof ProgramWire ? wire.ended : undefined);
  const client = new Client({ name: "holdfast", version: VERSION });
  try {
    await client.connect(wire, { timeout: timeoutMs });
    const tools = await listTools(client, timeoutMs);
    client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
      changed(await listTools(client, timeoutMs));
    });
    client.onclose = () => closed(endWords() ?? "the connection was closed");
    return {
      tools,
      instructions: client.getInstructions() ?? "",
      close: () => client.close(),
      async call(tool, args, signal) {
        try {
          return await callTool(client, { tool, args, signal, silenceMs: config.timeoutSeconds * 1000 });
        } catch (error) {
          if (isUnreadable(error)) return { answered: false, why: "what it said was no message" };
          const why = endWords() ?? wordsOf(error);
          // Where there is no program whose end would tell, a call that failed on the way may be the last of its kind.
          if (!isTimeout(error) && !isOfOneCall(error) && !signal.aborted) closed(why);
          return { answered: false, why };
        }
      },
    };
  } catch (error) {
    await client.close();
    throw new Error(endWords() ?? wordsOf(error), { cause: error });
  }
}

async function wireOf({ config, env, token }: Connecting): Promise<Transport> {
  if (config.command) return new ProgramWire({ command: config.command, env });
  const { StreamableHTTPClientTransport } =
    await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  return new StreamableHTTPClientTransport(new URL(config.url ?? ""), {
    // What it waits for is counted by us.
    fetch: patientFetch({ silenceMs: 2 * config.timeoutSeconds * 1000, connectMs: CONNECT_MAX_MS }),
    ...(token !== undefined && { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  });
}

/** Not the client's own verb, nor its idea of a result: those refuse all of a server's tools over one that they can't read. */
async function listTools(client: Client, timeout: number): Promise<DescribedTool[]> {
  const tools: DescribedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX && tools.length < TOOLS_MAX; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: "tools/list", params }, ResultSchema, { timeout });
    tools.push(...describedTools(listed));
    if (typeof listed["nextCursor"] !== "string") break;
    cursor = listed["nextCursor"];
  }
  return tools.slice(0, TOOLS_MAX);
}

/** Nor here: what does not fit an output schema, or holds what nobody knows yet, has still been done. */
async function callTool(client: Client, { tool, args, signal, silenceMs }: Call): Promise<Called> {
  const params = { name: tool, arguments: args };
  try {
    const result = await client.request({ method: "tools/call", params }, ResultSchema, {
      signal,
      timeout: silenceMs,
      resetTimeoutOnProgress: true,
      onprogress: () => {}, // without it the server is not told that progress is of interest
    });
    return { answered: true, result };
  } catch (error) {
    const isTheirs = error instanceof McpError && !isTimeout(error) && client.transport !== undefined;
    if (isTheirs) return { answered: true, refused: error.message };
    throw error;
  }
}

type Call = { tool: string; args: Record<string, unknown>; signal: AbortSignal; silenceMs: number };

/** A server may use that number for something of its own, but then without the time that we gave it. */
function isTimeout(error: unknown): boolean {
  return (
    error instanceof McpError &&
    error.code === ErrorCode.RequestTimeout &&
    typeof error.data === "object" &&
    error.data !== null &&
    "timeout" in error.data
  );
}

/** What an address answered to this one call; what it answers to others may be another thing. */
function isUnreadable(error: unknown): boolean {
  return error instanceof z.ZodError || error instanceof SyntaxError;
}

/** An address that answers is there. But 404 says that it knows nothing of us any more, as after a restart. */
function isOfOneCall(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof McpError || !("code" in error)) return false;
  return typeof error.code === "number" && !FOR_ALL_CALLS.has(error.code);
}

const FOR_ALL_CALLS: ReadonlySet<number> = new Set([401, 403, 404]);

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
