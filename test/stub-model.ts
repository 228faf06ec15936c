// A model server that says what a test tells it to, by real HTTP and on each provider's own wire: what it answers is
// written once as an `Answer`, the path of the request decides how it is spoken.
//
// Run by itself (`node test/stub-model.ts [port]`) it prints its address and answers by the name of the model:
// `words-500-at-50` says 500 words at 50 a second, `stamps-500-at-50` says the time of each word instead.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicFrames } from "./stub-wires/anthropic.ts";
import { chatFrames } from "./stub-wires/chat.ts";
import { openMouth, type Mouth } from "./stub-wires/mouth.ts";
import type { Frame, StubMessage } from "./stub-wires/frame.ts";
import { googleFrames } from "./stub-wires/google.ts";
import { responsesFrames } from "./stub-wires/responses.ts";

export type Answer =
  | ({ reply: "message" } & StubMessage & Manner)
  /** An HTTP error, or whatever else has a status. */
  | { reply: "status"; status: number; headers?: Record<string, string>; body?: unknown }
  /** Bytes of one's own with status 200. */
  | { reply: "raw"; body: string; contentType?: string }
  /** Takes the request and says nothing. */
  | { reply: "silence" }
  /** Breaks the connection before any answer. */
  | { reply: "reset" }
  /** As it is told, piece by piece: for a test that decides what happens between two words. */
  | { reply: "speech"; speak: (mouth: Mouth) => void };

/** How a message comes: at once unless it is paced, whole unless it breaks off. */
export type Manner = {
  tokensPerSecond?: number;
  breaks?: {
    afterTokens: number;
    /** `end`: closed as if all were said; `hang`: nothing more comes; or this last frame, then the end. */
    how: "end" | "hang" | { frame: string };
  };
};

export type StubRequest = {
  path: string;
  model: string;
  headers: IncomingMessage["headers"];
  body: unknown;
  /** Resolves when the connection of this request is no longer used: answered whole, or left by the client. */
  closed: Promise<"answered" | "left">;
  /** Breaks its connection now. */
  sever(): void;
};

export type StubModel = {
  /** Without a path; `baseUrls` has what each kind of provider wants. */
  readonly origin: string;
  readonly baseUrls: Record<"openai-compatible" | "openai" | "anthropic" | "google", string>;
  /** What came, oldest first; at most REQUESTS_KEPT. */
  readonly requests: StubRequest[];
  /** How many came in all. */
  readonly count: number;
  /** The nth request (from 1) as soon as it is there. */
  received(nth: number): Promise<StubRequest>;
  close(): Promise<void>;
};

export type Script = (request: StubRequest, nth: number) => Answer;

const REQUESTS_KEPT = 1_000;
const BODY_MAX_BYTES = 64 * 1024 * 1024;

/** The answers are given in turn, the last one again and again; a function decides each time. */
export async function startStubModel(
  script: Script | Answer | Answer[] = byModelName,
  port = 0,
): Promise<StubModel> {
  const answerTo = scripted(script);
  const requests: StubRequest[] = [];
  const waiting = new Map<number, (request: StubRequest) => void>();
  let count = 0;

  const server = createServer((incoming, response) => {
    readRequest(incoming, response).then(
      (request) => {
        count += 1;
        requests.push(request);
        if (requests.length > REQUESTS_KEPT) requests.shift();
        waiting.get(count)?.(request);
        waiting.delete(count);
        give(answerTo(request, count), request, response);
      },
      () => incoming.destroy(), // the client left while it was still asking
    );
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    baseUrls: {
      "openai-compatible": `${origin}/v1`,
      openai: `${origin}/v1`,
      anthropic: `${origin}/v1`,
      google: `${origin}/v1beta`,
    },
    requests,
    get count() {
      return count;
    },
    received: (nth) => {
      const there = requests[nth - 1 - (count - requests.length)];
      return there ? Promise.resolve(there) : new Promise((resolve) => waiting.set(nth, resolve));
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function scripted(script: Script | Answer | Answer[]): Script {
  if (typeof script === "function") return script;
  const answers = Array.isArray(script) ? script : [script];
  return (_, nth) => {
    const answer = answers[Math.min(nth, answers.length) - 1];
    if (!answer) throw new Error("the stub model was given no answer");
    return answer;
  };
}

async function readRequest(incoming: IncomingMessage, response: ServerResponse): Promise<StubRequest> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_MAX_BYTES) throw new Error("the request is too large for a test");
    chunks.push(chunk);
  }
  const path = (incoming.url ?? "").split("?", 1).join();
  const text = Buffer.concat(chunks).toString("utf8");
  const body: unknown = text === "" ? null : JSON.parse(text);
  const inBody = (body as { model?: unknown } | null)?.model;
  const inPath = /models\/([^:]+):/.exec(path)?.[1];
  return {
    path,
    model: typeof inBody === "string" ? inBody : (inPath ?? ""),
    headers: incoming.headers,
    body,
    closed: new Promise((resolve) => {
      response.once("close", () => resolve(response.writableFinished ? "answered" : "left"));
    }),
    sever: () => void incoming.socket.resetAndDestroy(),
  };
}

function give(answer: Answer, request: StubRequest, response: ServerResponse): void {
  switch (answer.reply) {
    case "message":
      return stream(answer, request, response);
    case "status": {
      const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {});
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(text);
      return;
    }
    case "raw":
      response.writeHead(200, { "content-type": answer.contentType ?? "text/event-stream" }).end(answer.body);
      return;
    case "silence":
      return;
    case "reset":
      response.destroy();
      return;
    case "speech":
      return answer.speak(openMouth(request.model, response));
  }
}

function stream(answer: StubMessage & Manner, request: StubRequest, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  const frames = framesFor(request, answer);
  const { tokensPerSecond, breaks } = answer;
  const began = performance.now();
  let tokens = 0;

  /** Writes what is due; true when there is nothing more to come. */
  const writeDue = (): boolean => {
    const due =
      tokensPerSecond === undefined ? Infinity : ((performance.now() - began) / 1000) * tokensPerSecond;
    for (;;) {
      if (breaks && tokens >= breaks.afterTokens) {
        breakOff(breaks.how, response);
        return true;
      }
      if (tokens >= due) return false;
      const next = frames.next();
      if (next.done) {
        response.end();
        return true;
      }
      response.write(next.value.text);
      if (next.value.token) tokens += 1;
    }
  };
  if (writeDue() || tokensPerSecond === undefined) return;
  const timer = setInterval(() => writeDue() && clearInterval(timer), 1000 / tokensPerSecond);
  response.once("close", () => clearInterval(timer));
}

function breakOff(how: NonNullable<Manner["breaks"]>["how"], response: ServerResponse): void {
  if (how === "end") response.end();
  else if (how !== "hang") response.end(how.frame);
}

function framesFor({ path, model }: StubRequest, message: StubMessage): Iterator<Frame, void> {
  if (path.endsWith("/chat/completions")) return chatFrames(message, model);
  if (path.endsWith("/messages")) return anthropicFrames(message, model);
  if (path.endsWith("/responses")) return responsesFrames(message, model);
  if (path.endsWith(":streamGenerateContent")) return googleFrames(message);
  throw new Error(`the stub model speaks no wire at ${path}`);
}

export function byModelName({ model }: StubRequest): Answer {
  const [, kind, count, rate] = /^(words|stamps)-(\d+)(?:-at-(\d+))?$/.exec(model) ?? [];
  return {
    reply: "message",
    text: kind === undefined ? "ok" : kind === "stamps" ? { stamps: Number(count) } : wordsOf(Number(count)),
    ...(rate !== undefined && { tokensPerSecond: Number(rate) }),
  };
}

/** Made once: two hundred who ask for ten thousand at the same moment would else wait for each other. */
const speeches = new Map<number, string>();

function wordsOf(count: number): string {
  return speeches.getOrInsertComputed(count, () =>
    Array.from({ length: count }, (_, n) => `word${n} `).join(""),
  );
}

if (import.meta.main) {
  const stub = await startStubModel(byModelName, Number(process.argv[2] ?? 0));
  process.once("disconnect", () => process.exit()); // forked: it ends with whoever wanted it
  console.log(stub.origin);
}
