// A local Ollama, if one answers: its models can be had without a key.
import type { Env } from "../driver/builtin/endpoint.ts";

export type Ollama = { baseUrl: string; models: string[] };

const ANSWER_WITHIN_MS = 500;
const ANSWER_MAX_BYTES = 1 << 20;
const MODELS_MAX = 50;

export async function findOllama(env: Env): Promise<Ollama | undefined> {
  const address = addressOf(env["OLLAMA_HOST"]?.trim());
  const text = address && (await textAt(`${address}/api/tags`));
  const models = text ? modelsIn(text) : [];
  return address && models.length > 0 ? { baseUrl: `${address}/v1`, models } : undefined;
}

/** As Ollama itself reads it: a host, a port, both, or a whole address. Unset: where it listens by itself. */
function addressOf(host: string | undefined): string | undefined {
  const named = host || "127.0.0.1:11434";
  const url = URL.parse(named.includes("://") ? named : `http://${named}`);
  if (url?.protocol !== "http:") return undefined; // one behind TLS is not on this machine: it can be configured
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  return `http://${url.hostname}:${url.port || "11434"}`;
}

/**
 * Not with fetch: loading it costs an idle server more than this answer is worth. And an import of node:http would load
 * it too, for the WebSocket among its names.
 */
function textAt(url: string): Promise<string | undefined> {
  const { get } = process.getBuiltinModule("node:http");
  return new Promise((resolve) => {
    const request = get(url, { timeout: ANSWER_WITHIN_MS }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (text.length > ANSWER_MAX_BYTES) request.destroy();
      });
      response.on("close", () =>
        resolve(response.complete && response.statusCode === 200 ? text : undefined),
      );
    });
    const late = setTimeout(() => request.destroy(), ANSWER_WITHIN_MS);
    request.on("close", () => clearTimeout(late));
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined)); // nobody is there, as on most machines
  });
}

function modelsIn(text: string): string[] {
  try {
    const { models } = JSON.parse(text) as { models?: unknown };
    if (!Array.isArray(models)) return [];
    return models
      .flatMap(({ name }: { name?: unknown }) => (typeof name === "string" ? [name] : []))
      .slice(0, MODELS_MAX);
  } catch {
    return []; // something else answers there
  }
}
