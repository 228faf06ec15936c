// For tests: an MCP server without the SDK, whose tools and answers are not as the SDK would have them.
import { createInterface } from "node:readline";

type Message = {
  id?: number;
  method: string;
  params: { protocolVersion?: string; cursor?: string; name?: string };
};

const object = { type: "object" };
const tools = [
  ...["video", "broken", "bare", "nothing", "waits", "lets_go"].map((name) => ({
    name,
    inputSchema: object,
  })),
  { name: "untyped", inputSchema: { properties: { a: { type: "string" } } } },
  { name: "listed", inputSchema: { type: "array", items: {} } },
  { name: "unread", inputSchema: { type: "object", properties: { a: "string" }, required: "a" } },
  { name: "schemaless", description: 7 },
  { inputSchema: object },
  null,
];
const answers: Record<string, object> = {
  video: {
    content: [
      { type: "text", text: "deployed #42" },
      { type: "video", data: "x", mimeType: "video/mp4" },
    ],
  },
  broken: {
    content: [
      { type: "text" },
      { type: "image", mimeType: "image/png" },
      { type: "resource", resource: { uri: "note://1" } },
      { text: "of no kind" },
      null,
      { type: "a".repeat(1000) },
      { type: "text", text: "the rest", annotations: "none" },
    ],
    isError: true,
  },
  bare: { content: 42 },
  nothing: {},
  lets_go: {},
};

let letGo = () => {};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as Message;
  const answer = (result: object) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  if (method === "initialize") {
    const { protocolVersion } = params;
    answer({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } });
  } else if (method === "tools/list") {
    const isFirst = params.cursor === undefined;
    answer(isFirst ? { tools, nextCursor: "2" } : { tools: [{ name: "last" }], nextCursor: null });
  } else if (method === "tools/call") {
    const { name = "" } = params;
    if (name === "waits") letGo = () => answer({ content: [{ type: "text", text: "waited" }] });
    else answer(answers[name] ?? {});
    if (name === "lets_go") letGo();
  }
}
