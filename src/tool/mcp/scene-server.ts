// For tests: an MCP server over stdio, with tools that do what a server may do to whoever calls it.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from "@modelcontextprotocol/sdk/types.js";
import { appendFileSync } from "node:fs";

const [mode = "plain"] = process.argv.slice(2);
const PAGE = 4;
const names = [
  "add",
  "note",
  "note_then_die",
  "note_then_hang",
  "fail",
  "refuse",
  "see",
  "say",
  "data",
  "grow",
];

const server = new Server(
  { name: "scene", version: "1.0.0" },
  { capabilities: { tools: { listChanged: true } }, instructions: "Notes are for ever." },
);

server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
  const from = Number(params?.cursor ?? 0);
  const tools = names.slice(from, from + PAGE).map((name) => ({
    name,
    description: `What ${name} does.`,
    inputSchema: { type: "object" as const, properties: { text: { type: "string" } } },
    // One that no validator compiles: what a tool gives back is not ours to judge.
    outputSchema: { type: "object" as const, properties: { x: { $ref: "#/nowhere" } } },
  }));
  return { tools, ...(from + PAGE < names.length && { nextCursor: String(from + PAGE) }) };
});

server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
  const args = params.arguments ?? {};
  const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });
  switch (params.name) {
    case "add":
      return text(String(Number(args["a"]) + Number(args["b"])));
    case "note":
    case "note_then_die":
    case "note_then_hang":
      appendFileSync(String(args["file"]), `${String(args["text"])}\n`);
      if (params.name === "note_then_die") process.exit(7);
      if (params.name === "note_then_hang") await new Promise(() => {});
      return text("noted");
    case "fail":
      return { ...text("no such issue"), isError: true };
    case "refuse":
      throw new McpError(ErrorCode.InvalidParams, "text is missing");
    case "see":
      return text(JSON.stringify({ env: Object.keys(process.env).toSorted(), pid: process.pid }));
    case "say":
      return text("word ".repeat(Number(args["words"])));
    case "data":
      return {
        content: [
          { type: "image", data: Buffer.from("not really").toString("base64"), mimeType: "image/png" },
          { type: "resource", resource: { uri: "note://1", text: "the note" } },
          { type: "resource_link", uri: "note://2", name: "the other note" },
        ],
      };
    case "grow":
      names.push("grown");
      await server.sendToolListChanged();
      return text("grown");
    default:
      throw new McpError(ErrorCode.InvalidParams, `no tool ${params.name}`);
  }
});

if (mode === "dies") {
  console.error("the key is missing");
  process.exit(3);
}
if (mode === "floods")
  for (;;)
    if (!process.stdout.write("x".repeat(1 << 20)))
      await new Promise((done) => process.stdout.once("drain", done));
if (mode === "greets") console.log("Welcome to the scene");
if (mode === "stays") {
  process.on("SIGTERM", () => {}); // neither the end of its input nor being asked ends it
  setInterval(() => {}, 1000);
}
await server.connect(new StdioServerTransport());
if (mode === "brief") process.stdin.once("data", () => setTimeout(() => process.exit(0), 300));
