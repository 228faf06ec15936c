// A turn that nobody keeps: a request opens the AI SDK's stream and every part of it goes to the client as it comes.
// Whoever loses the connection, or the server, loses the answer. `streamText` is what people write; `doStream`, the
// provider's bare wire below it, is the least that a turn can cost.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { say, whenTold } from "./host.ts";

const [how, baseURL = "", modelName = ""] = process.argv.slice(2);
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
  const parts = how === "streamText" ? spoken(prompt) : wired(prompt);
  for await (const part of parts) response.write(`data: ${JSON.stringify(part)}\n\n`);
  response.end();
}

/** What a client needs to show the answer. */
type Part = { type: "text-delta"; delta: string } | { type: "finish" };

async function* spoken(prompt: string): AsyncGenerator<Part> {
  for await (const part of streamText({ model, prompt, maxRetries: 0 }).fullStream) {
    if (part.type === "text-delta") yield { type: "text-delta", delta: part.text };
    else if (part.type === "finish") yield { type: "finish" };
    else if (part.type === "error") throw part.error;
  }
}

async function* wired(prompt: string): AsyncGenerator<Part> {
  const { stream } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
  });
  for await (const part of stream) {
    if (part.type === "text-delta") yield { type: "text-delta", delta: part.delta };
    else if (part.type === "finish") yield { type: "finish" };
    else if (part.type === "error") throw part.error;
  }
}
