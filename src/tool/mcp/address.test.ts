import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { Config } from "../../config/schema.ts";
import { mcpServersOf } from "../../profile/mcp-servers.ts";
import { toolbox, type Toolbox } from "../toolbox.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const forever = new AbortController().signal;
const call = {
  session: "ses_1",
  workspace: "/",
  hidden: "",
  call: "c1",
  trace: undefined,
  signal: forever,
};

type Listening = {
  url: string;
  end: () => Promise<void>;
  answerOnce: (body: string, status?: number) => void;
};

/** One session, as such a server has it. */
async function listening(): Promise<Listening> {
  const wire = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  const server = new Server({ name: "far", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "echo", inputSchema: { type: "object" as const } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: "text", text: JSON.stringify(params.arguments) }],
  }));
  await server.connect(wire as Parameters<typeof server.connect>[0]);
  let odd: { body: string; status: number } | undefined;
  const http = createServer((request, response) => {
    if (odd !== undefined && request.method === "POST") {
      response.writeHead(odd.status, { "content-type": "application/json" }).end(odd.body);
      odd = undefined;
    } else if (request.headers.authorization === "Bearer let-me-in")
      void wire.handleRequest(request, response);
    else response.writeHead(401).end("who are you?");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => http.once("listening", resolve));
  const end = async () => {
    await server.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  cleanups.push(end);
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    end,
    answerOnce: (body, status = 200) => (odd = { body, status }),
  };
}

async function boxOf(url: string, env: Record<string, string>, warned: object[] = []): Promise<Toolbox> {
  const log = { info: () => {}, warn: (detail: object) => void warned.push(detail) };
  const { mcp } = Config.parse({ mcp: { far: { url, tokenEnv: "FAR_TOKEN" } } });
  const servers = [...mcpServersOf({ mcp }, env, log).values()];
  cleanups.push(() => Promise.all(servers.map((server) => server.close())));
  const box = toolbox(new Map(), servers);
  await box.settle(forever);
  return box;
}

it("a server at an address is spoken to with its token", async () => {
  const box = await boxOf((await listening()).url, { FAR_TOKEN: "let-me-in" });
  expect(box.missing()).toEqual([]);
  const tool = box.tools().get("far__echo");
  expect(tool?.kind === "plain" && (await tool.run({ a: [1, "ä"] }, call))).toEqual({
    status: "ok",
    result: '{"a":[1,"ä"]}',
  });
});

it("a server that does not let us in, or is not there, is missing with the reason", async () => {
  const { url } = await listening();
  expect((await boxOf(url, {})).missing()).toEqual([expect.stringMatching(/401|who are you/)]);
  const nobody = await boxOf("http://127.0.0.1:1/mcp", { FAR_TOKEN: "let-me-in" });
  expect(nobody.missing()).toEqual([expect.stringContaining("ECONNREFUSED")]);
});

it.each([
  ['{"jsonrpc":"2.0"}', 200, "gave no answer: what it said was no message."],
  ["{", 200, "gave no answer: what it said was no message."],
  ["out of memory", 500, "out of memory"],
  ["slow down", 429, "slow down"],
])(
  "an answer that is no message (%s, %i) leaves its own call unknown, and the server there",
  async (body, status, words) => {
    const { url, answerOnce } = await listening();
    const warned: object[] = [];
    const box = await boxOf(url, { FAR_TOKEN: "let-me-in" }, warned);
    const tool = box.tools().get("far__echo");
    if (tool?.kind !== "plain") throw new Error("there is no echo");
    answerOnce(body, status);
    expect(await tool.run({}, call)).toMatchObject({
      status: "unknown",
      result: expect.stringContaining(words),
    });
    expect(await tool.run({}, call)).toEqual({ status: "ok", result: "{}" });
    expect(warned).toEqual([]);
  },
);

it("a server that knows nothing of us any more is gone, and is asked anew", async () => {
  const { url, answerOnce } = await listening();
  const warned: object[] = [];
  const box = await boxOf(url, { FAR_TOKEN: "let-me-in" }, warned);
  const tool = box.tools().get("far__echo");
  answerOnce("no such session", 404);
  expect(tool?.kind === "plain" && (await tool.run({}, call))).toMatchObject({ status: "unknown" });
  expect(warned).toHaveLength(1);
});

it("a call to a server that has gone away meanwhile is unknown, and that it went is told once", async () => {
  const { url, end } = await listening();
  const warned: object[] = [];
  const box = await boxOf(url, { FAR_TOKEN: "let-me-in" }, warned);
  const tool = box.tools().get("far__echo");
  await end();
  expect(tool?.kind === "plain" && (await tool.run({}, call))).toMatchObject({ status: "unknown" });
  expect(box.missing()).toEqual([expect.stringContaining("far")]);
  expect(warned).toHaveLength(1);
});
