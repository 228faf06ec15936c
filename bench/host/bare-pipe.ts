// What a turn costs at least: a request opens the provider's stream and every part of it goes to the client as it comes.
// Nothing is kept: whoever loses the connection, or the server, loses the answer.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { say, whenTold } from "./host.ts";

const [baseURL = "", modelName = ""] = process.argv.slice(2);
const model = createOpenAICompatible({ name: "stub", baseURL, includeUsage: true })(modelName);

whenTold(() => {});
const server = createServer((request, response) => {
  const prompt = new URL(request.url ?? "", "http://localhost").searchParams.get("prompt") ?? "";
  pipe(prompt, response).catch((error: unknown) => {
    throw error; // a baseline that fails has measured nothing
  });
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  say({ url: `http://127.0.0.1:${port}`, pid: process.pid });
});

async function pipe(prompt: string, response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const { stream } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
  });
  for await (const part of stream) response.write(`data: ${JSON.stringify(part)}\n\n`);
  response.end();
}
