// What went wrong, told apart: what passes by itself, what a person must mend, what a shorter context mends.
import type { ProviderFault } from "../driver.ts";
import type { Endpoint } from "./endpoint.ts";
import { redact } from "./redact.ts";
import { retryAfterMs } from "./retry-after.ts";
import { reportOf, type Report } from "./report.ts";

type Class = ProviderFault["class"];

/** `error` is whatever the SDK threw or put into the stream. */
export function faultOf(error: unknown, endpoint: Endpoint, now: () => number): ProviderFault {
  const report = reportOf(error);
  const kind = classOf(report);
  const wait = retryAfterMs(report, now());
  const details = report.body ?? (kind === "protocol" ? report.text : undefined);
  return clean(endpoint, {
    class: kind,
    message: `${sentence(kind, endpoint, report)}${said(report)}`,
    ...(details !== undefined && details !== "" && { details }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** The stream ended without an end. */
export function cutFault(endpoint: Endpoint): ProviderFault {
  return { class: "cut", message: sentence("cut", endpoint, {}) };
}

export function protocolFault(endpoint: Endpoint, what: string): ProviderFault {
  return clean(endpoint, { class: "protocol", message: `${endpoint.provider} ${what}` });
}

function classOf(report: Report): Class {
  const { status, code } = report;
  const text = `${code ?? ""} ${report.text} ${report.body ?? ""}`;
  if (report.timedOut) return "silent";
  if (report.unreachable) return status === undefined ? "network" : "cut"; // after a status the answer had begun
  if (report.garbled) return "protocol";
  if (code === "context_length_exceeded") return "context_too_long";
  if (status === 401 || status === 403 || status === 402) return "auth";
  if (UNPAID.test(text) || BAD_KEY.test(text)) return "auth";
  if (code === "model_not_found") return "unknown_model";
  if (status === 429 || code === "rate_limit_exceeded" || code === "rate_limit_error") return "rate_limit";
  if (status === 404) return "unknown_model";
  if (status === 413 || CONTEXT.test(text)) return "context_too_long";
  if (status === 408 || status === 409 || (status !== undefined && status >= 500)) return "overloaded";
  if (code !== undefined && BUSY.has(code)) return "overloaded";
  if (UNKNOWN_MODEL.test(text)) return "unknown_model";
  if (status !== undefined && status >= 400) return "refused";
  if (report.unsupported) return "refused";
  return "protocol";
}

/** Google answers 400 to a wrong key. */
const BAD_KEY = /API_KEY_INVALID|API key not valid|invalid_api_key|authentication_error/i;
/** No time mends it, so it is no rate limit, though OpenAI answers 429. */
const UNPAID = /insufficient_quota|credit balance is too low|billing_error|billing_hard_limit/i;
const BUSY = new Set(["overloaded_error", "server_error", "api_error", "internal_server_error", "timeout"]);

/** As OpenAI, Anthropic, Google, Mistral, xAI, Groq, Moonshot, OpenRouter, vLLM, llama.cpp, LM Studio and Ollama say it. */
const CONTEXT = new RegExp(
  [
    "context[ _](length|window|limit|size)",
    "exceed_context",
    "maximum (context|prompt|model|input) (length|size)",
    "(prompt|input|request) (is|was) too (long|large)",
    "prompt contains \\d+ tokens",
    "(token count|tokens?) .{0,60}exceeds? the maximum",
    "exceed(s|ed)? .{0,40}token limit",
    "reduce the length of",
    "longer than the maximum",
    "too many (input )?tokens",
  ].join("|"),
  "i",
);
const UNKNOWN_MODEL =
  /model[^.]{0,80}(not found|not exist|n't exist|not available|is not supported|not a valid)|(invalid|unknown) model/i;

function sentence(
  kind: Class,
  { provider, model, key, baseUrl }: Endpoint,
  { status }: Partial<Report>,
): string {
  const code = status === undefined ? "" : ` (${status})`;
  switch (kind) {
    case "network":
      return `${provider} can't be reached at ${hostOf(baseUrl)}`;
    case "rate_limit":
      return `${provider} limits how often it may be asked${code}`;
    case "overloaded":
      return `${provider} is overloaded or broken for now${code}`;
    case "cut":
      return `${provider} broke off in the middle of its answer`;
    case "silent":
      return `${provider} said nothing for too long`;
    case "auth":
      return `${provider} refused ${key ? `the key in ${key.variable}` : "a call without a key"}${code}`;
    case "unknown_model":
      return `${provider} does not know the model "${model}"${code}; check its name, and the baseUrl, in config.toml`;
    case "context_too_long":
      return `The context is too long for ${provider}/${model}${code}`;
    case "refused":
      return `${provider} refused the request${code}`;
    case "protocol":
      return `${provider} answered with something that is not its protocol${code}`;
  }
}

/** The provider's own words, when it had some. */
function said({ text, body }: Report): string {
  const words = text.trim() || (body !== undefined && !body.trimStart().startsWith("<") ? body.trim() : "");
  return words === "" ? "." : `: ${words.replaceAll(/\s+/g, " ")}`;
}

function hostOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.host ?? baseUrl;
}

const MESSAGE_MAX_CHARS = 500;
const DETAILS_MAX_CHARS = 2_000;

function clean(endpoint: Endpoint, fault: ProviderFault): ProviderFault {
  const secret = endpoint.key?.secret;
  const short = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);
  return {
    ...fault,
    message: short(redact(fault.message, secret), MESSAGE_MAX_CHARS),
    ...(fault.details !== undefined && { details: short(redact(fault.details, secret), DETAILS_MAX_CHARS) }),
  };
}
