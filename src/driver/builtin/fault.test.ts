import { afterEach, describe, expect, test } from "vitest";
import { createServer as createTcpServer } from "node:net";
import { once } from "node:events";
import { startStubModel, type Answer, type StubModel } from "../../../test/stub-model.ts";
import { performStep } from "../../../test/perform-step.ts";
import type { ProviderFault } from "../driver.ts";
import { builtinDriver, type BuiltinConfig } from "./driver.ts";
import type { WireKind } from "./endpoint.ts";

const SECRET = "sk-a-secret-that-nobody-may-see";
const NOW = Date.parse("2026-11-15T12:00:00Z");

let stub: StubModel | undefined;
afterEach(async () => {
  await stub?.close();
  stub = undefined;
});

async function faultAfter(
  answer: Answer,
  kind: WireKind = "openai-compatible",
  config: Partial<BuiltinConfig> = {},
): Promise<ProviderFault> {
  stub = await startStubModel(answer);
  return faultAt(stub.baseUrls[kind], kind, config);
}

async function faultAt(
  baseUrl: string,
  kind: WireKind,
  config: Partial<BuiltinConfig> = {},
): Promise<ProviderFault> {
  const driver = builtinDriver({
    providers: { acme: { kind, baseUrl, apiKeyEnv: "ACME_KEY" } },
    env: { ACME_KEY: SECRET },
    now: () => NOW,
    ...config,
  });
  const { result } = await performStep(driver, { model: "acme/best-1" });
  if (result.outcome !== "failed") throw new Error(`it did not fail: ${JSON.stringify(result)}`);
  return result.fault;
}

const openaiError = (message: string, code?: string) => ({
  error: { message, type: "invalid_request_error", code },
});
const anthropicError = (type: string, message: string) => ({ type: "error", error: { type, message } });
const googleError = (code: number, status: string, message: string, details: unknown[] = []) => ({
  error: { code, status, message, details },
});

describe("each status has its class", () => {
  test.each<[number, ProviderFault["class"]]>([
    [400, "refused"],
    [401, "auth"],
    [402, "auth"],
    [403, "auth"],
    [404, "unknown_model"],
    [408, "overloaded"],
    [409, "overloaded"],
    [413, "context_too_long"],
    [422, "refused"],
    [429, "rate_limit"],
    [500, "overloaded"],
    [502, "overloaded"],
    [503, "overloaded"],
    [529, "overloaded"],
  ])("%i is %s, on every wire", async (status, expected) => {
    for (const kind of ["openai-compatible", "openai", "anthropic", "google"] as const) {
      const fault = await faultAfter({ reply: "status", status, body: "{}" }, kind);
      expect([kind, fault.class]).toEqual([kind, expected]);
      expect(fault.message).toContain("acme");
      await stub?.close();
    }
  });
});

describe("what a status alone does not tell, the provider's words do", () => {
  test.each<[ProviderFault["class"], WireKind, number, unknown]>([
    [
      "context_too_long",
      "openai",
      400,
      openaiError("Your input exceeds the context window of this model.", "context_length_exceeded"),
    ],
    [
      "context_too_long",
      "openai-compatible",
      400,
      openaiError("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."),
    ],
    [
      "context_too_long",
      "openai-compatible",
      400,
      openaiError("the request exceeds the available context size, try increasing it"),
    ],
    [
      "context_too_long",
      "openai-compatible",
      400,
      openaiError(
        "Prompt contains 70000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      ),
    ],
    [
      "context_too_long",
      "openai-compatible",
      400,
      openaiError("Please reduce the length of the messages or completion."),
    ],
    [
      "context_too_long",
      "openai-compatible",
      400,
      openaiError("Your request exceeded model token limit: 8192"),
    ],
    ["context_too_long", "openai-compatible", 500, openaiError("input length exceeds the context length")],
    [
      "context_too_long",
      "anthropic",
      400,
      anthropicError("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    ],
    [
      "context_too_long",
      "anthropic",
      400,
      anthropicError(
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
      ),
    ],
    [
      "context_too_long",
      "anthropic",
      413,
      anthropicError("request_too_large", "Request exceeds the maximum size"),
    ],
    [
      "context_too_long",
      "google",
      400,
      googleError(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).",
      ),
    ],
    [
      "auth",
      "google",
      400,
      googleError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    ],
    [
      "auth",
      "openai",
      429,
      openaiError(
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
      ),
    ],
    [
      "auth",
      "anthropic",
      400,
      anthropicError("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    ],
    [
      "rate_limit",
      "openai",
      429,
      openaiError(
        "Request too large for gpt-5 on tokens per min (TPM): Limit 10000, Requested 12000.",
        "rate_limit_exceeded",
      ),
    ],
    [
      "rate_limit",
      "anthropic",
      429,
      anthropicError(
        "rate_limit_error",
        "This request would exceed your rate limit of 40,000 input tokens per minute.",
      ),
    ],
    [
      "unknown_model",
      "openai-compatible",
      404,
      openaiError('model "best-1" not found, try pulling it first'),
    ],
    ["unknown_model", "openai-compatible", 400, openaiError("best-1 is not a valid model ID")],
    ["unknown_model", "openai-compatible", 400, openaiError("Model Not Exist")],
    ["unknown_model", "anthropic", 404, anthropicError("not_found_error", "model: best-1")],
    [
      "unknown_model",
      "google",
      404,
      googleError(404, "NOT_FOUND", "models/best-1 is not found for API version v1beta"),
    ],
    ["overloaded", "anthropic", 529, anthropicError("overloaded_error", "Overloaded")],
    ["refused", "openai-compatible", 400, openaiError("Invalid schema for function 'shell'.")],
  ])("%s: %s, %i, %j", async (expected, kind, status, body) => {
    expect((await faultAfter({ reply: "status", status, body }, kind)).class).toBe(expected);
  });
});

describe("an error within the stream", () => {
  const within = (frame: string): Answer => ({
    reply: "message",
    text: "one two",
    breaks: { afterTokens: 1, how: { frame } },
  });

  test.each<[ProviderFault["class"], WireKind, unknown]>([
    [
      "overloaded",
      "anthropic",
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ],
    ["rate_limit", "anthropic", { type: "error", error: { type: "rate_limit_error", message: "Slow down" } }],
    ["overloaded", "openai-compatible", { error: { message: "upstream died", code: 502 } }],
    [
      "context_too_long",
      "openai-compatible",
      { error: { message: "too long", code: "context_length_exceeded" } },
    ],
    [
      "overloaded",
      "openai",
      {
        type: "response.failed",
        sequence_number: 3,
        response: { error: { code: "server_error", message: "sorry" } },
      },
    ],
    [
      "overloaded",
      "google",
      { error: { code: 503, status: "UNAVAILABLE", message: "The model is overloaded." } },
    ],
  ])("is %s on the wire of %s", async (expected, kind, data) => {
    const fault = await faultAfter(within(`data: ${JSON.stringify(data)}\n\n`), kind);
    expect(fault.class).toBe(expected);
  });

  test.each<[ProviderFault["class"], string]>([
    ["context_too_long", '{"object": "error", "message": "the prompt is too long", "code": 400}'],
    ["overloaded", '{"error": "upstream died", "code": 502}'],
    ["protocol", '{"choices": "the maximum context length is a thing that models talk about"}'],
    ["protocol", '{"choices": [{"delta": {"content": "invalid_api_key"'],
  ])("in a shape of the server's own is %s: %s", async (expected, frame) => {
    expect((await faultAfter(within(`data: ${frame}\n\n`))).class).toBe(expected);
  });

  test("before any word is told apart as well", async () => {
    const frame = `event: error\ndata: ${JSON.stringify(anthropicError("overloaded_error", "Overloaded"))}\n\n`;
    expect((await faultAfter({ reply: "raw", body: frame }, "anthropic")).class).toBe("overloaded");
  });
});

describe("a wait that the provider asks for is told", () => {
  test.each<[number | undefined, Record<string, string>]>([
    [7_000, { "retry-after": "7" }],
    [1_500, { "retry-after": "1.5" }],
    [90_000, { "retry-after": "Sun, 15 Nov 2026 12:01:30 GMT" }],
    [0, { "retry-after": "Sun, 15 Nov 2026 11:00:00 GMT" }],
    [250, { "retry-after-ms": "250", "retry-after": "1" }],
    [86_400_000, { "retry-after": "99999999" }],
    [undefined, { "retry-after": "soon" }],
    [undefined, {}],
  ])("%s ms for %j", async (expected, headers) => {
    const fault = await faultAfter({ reply: "status", status: 429, headers });
    expect(fault.class).toBe("rate_limit");
    expect(fault.retryAfterMs).toBe(expected);
  });

  test("by Google in the body", async () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }];
    const body = googleError(429, "RESOURCE_EXHAUSTED", "Quota exceeded", details);
    expect((await faultAfter({ reply: "status", status: 429, body }, "google")).retryAfterMs).toBe(34_000);
  });
});

describe("no answer at all", () => {
  test("a server that is not there is a network fault that names where it was looked for", async () => {
    const gone = await startStubModel({ reply: "silence" });
    await gone.close();
    const fault = await faultAt(gone.baseUrls["openai-compatible"], "openai-compatible");
    expect(fault.class).toBe("network");
    expect(fault.message).toContain(new URL(gone.origin).host);
  });

  test("a name that nobody has is a network fault", async () => {
    expect((await faultAt("http://no-such-host.invalid/v1", "anthropic")).class).toBe("network");
  });

  test("a connection that breaks before the answer is a network fault", async () => {
    expect((await faultAfter({ reply: "reset" })).class).toBe("network");
  });

  test("a server that takes the request and says nothing is silent", async () => {
    const limits = { silenceMs: 50 };
    expect((await faultAfter({ reply: "silence" }, "openai-compatible", { limits })).class).toBe("silent");
  });

  test.each(["openai-compatible", "anthropic"] as const)(
    "a server that falls silent within its answer is silent (%s)",
    async (kind) => {
      const answer: Answer = { reply: "message", text: "one two", breaks: { afterTokens: 1, how: "hang" } };
      expect((await faultAfter(answer, kind, { limits: { silenceMs: 50 } })).class).toBe("silent");
    },
  );

  test("a model that speaks slowly is not silent", async () => {
    const answer: Answer = { reply: "message", text: "a b c d e f g h i j k l m n o", tokensPerSecond: 10 };
    stub = await startStubModel(answer);
    const driver = builtinDriver({
      providers: { acme: { kind: "openai-compatible", baseUrl: stub.baseUrls["openai-compatible"] } },
      env: {},
      limits: { silenceMs: 1_000 },
    });
    expect((await performStep(driver, { model: "acme/best-1" })).result).toMatchObject({
      outcome: "completed",
    });
  });

  test("a server that never finishes the connection is a network fault", async () => {
    const deaf = createTcpServer(() => {}).listen(0, "127.0.0.1");
    await once(deaf, "listening");
    const { port } = deaf.address() as { port: number };
    const fault = await faultAt(`https://127.0.0.1:${port}/v1`, "anthropic", { limits: { connectMs: 50 } });
    expect(fault.class).toBe("network");
    deaf.close();
  });
});

describe("an answer that is none", () => {
  test("a redirection is not followed, and says where it leads", async () => {
    const elsewhere = await startStubModel({ reply: "message", text: "hello" });
    const headers = { location: `${elsewhere.origin}/v1` };
    const fault = await faultAfter({ reply: "status", status: 308, headers });
    expect(fault.class).toBe("protocol");
    expect(fault.message).toContain(`${elsewhere.origin}/v1`);
    expect(elsewhere.requests).toHaveLength(0); // the key went nowhere else
    await elsewhere.close();
  });

  test("a status without an answer is not the protocol", async () => {
    expect((await faultAfter({ reply: "status", status: 204, headers: {} })).class).toBe("protocol");
  });

  test("a page of HTML is a fault of protocol that points to the baseUrl", async () => {
    const fault = await faultAfter({ reply: "raw", body: "<html>log in</html>", contentType: "text/html" });
    expect(fault).toMatchObject({ class: "protocol" });
    expect(fault.message).toMatch(/text\/html.*baseUrl/);
  });

  test("garbage in a stream of events is a fault of protocol", async () => {
    expect((await faultAfter({ reply: "raw", body: "data: }{ what\n\n" })).class).toBe("protocol");
    await stub?.close();
    expect((await faultAfter({ reply: "raw", body: `data: {"no": "choices"}\n\n` })).class).toBe("protocol");
  });

  test("an empty stream is cut", async () => {
    for (const kind of ["openai-compatible", "openai", "anthropic", "google"] as const) {
      const fault = await faultAfter({ reply: "raw", body: "" }, kind);
      expect([kind, fault.class]).toEqual([kind, "cut"]);
      await stub?.close();
    }
  });
});

describe("secrets", () => {
  test("a key that the provider repeats reaches neither message nor details", async () => {
    for (const kind of ["openai-compatible", "openai", "anthropic", "google"] as const) {
      const body = { error: { message: `Incorrect API key provided: ${SECRET}`, sent: `Bearer ${SECRET}` } };
      const fault = await faultAfter({ reply: "status", status: 401, body }, kind);
      expect(fault.class).toBe("auth");
      expect(JSON.stringify(fault)).not.toContain(SECRET);
      expect(fault.message).toContain("ACME_KEY");
      await stub?.close();
    }
  });

  test("the key did reach the provider", async () => {
    await faultAfter({ reply: "status", status: 500 });
    expect(stub?.requests[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  test("a provider that talks without end is cut short", async () => {
    const fault = await faultAfter({ reply: "status", status: 500, body: "x".repeat(100_000) });
    expect(fault.message.length).toBeLessThan(600);
    expect(fault.details?.length).toBeLessThan(2_100);
  });
});
