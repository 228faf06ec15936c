// What can be known of an error, whichever way it came: thrown by the SDK, put into the stream by it or by a provider
// (as an object of its own make), or thrown by the network beneath.
import { isRecord } from "./provider-data.ts";

export type Report = {
  status: number | undefined;
  /** The provider's own word for it. */
  code: string | undefined;
  text: string;
  body: string | undefined;
  headers: Readonly<Record<string, string>>;
  /** The provider's error object; empty if there is none. */
  data: Record<string, unknown>;
  unreachable: boolean;
  timedOut: boolean;
  /** It could not be read, so its words are no one's report of what went wrong. */
  garbled: boolean;
  /** The SDK can't say to this provider what it was asked to. */
  unsupported: boolean;
};

export function reportOf(error: unknown): Report {
  const at = isRecord(error) ? error : {};
  // `value` is a frame that the SDK did not expect: perhaps an error in a shape of its own.
  const told = errorObject(at["data"]) ?? errorObject(at["value"]) ?? errorObject(at);
  const data = told ?? {};
  const codes = causes(error).map(({ code }) => code);
  const name = error instanceof Error ? error.name : "";
  const text = textOf(error, data);
  const body = at["responseBody"];
  return {
    status: numeric(at["statusCode"]) ?? numeric(data["code"]) ?? numeric(data["status"]),
    code: word(data["code"]) ?? word(data["type"]) ?? word(at["type"]),
    text,
    body: typeof body === "string" ? body : undefined,
    headers: isRecord(at["responseHeaders"]) ? (at["responseHeaders"] as Record<string, string>) : {},
    data,
    timedOut: codes.includes("ERR_SILENCE"),
    unreachable: codes.some(isNetworkCode),
    garbled: !told && (name === "AI_JSONParseError" || name === "AI_TypeValidationError"),
    unsupported: name === "AI_UnsupportedFunctionalityError",
  };
}

const CAUSES_MAX = 10;

function causes(error: unknown): { code: unknown; message: string }[] {
  const found: { code: unknown; message: string }[] = [];
  for (let at = error; at instanceof Error && found.length < CAUSES_MAX; at = at.cause) {
    found.push({ code: (at as Error & { code?: unknown }).code, message: at.message });
    // Every address of a name was tried, each with a failure of its own.
    if (at instanceof AggregateError && at.errors[0] instanceof Error) found.push(...causes(at.errors[0]));
  }
  return found;
}

/** ECONNREFUSED, ENOTFOUND, EAI_AGAIN, CERT_HAS_EXPIRED, ERR_TLS_… */
function isNetworkCode(code: unknown): boolean {
  return (
    typeof code === "string" &&
    /^(E[A-Z]{3,}|EAI_\w+|ERR_(TLS|SSL|HTTP2)_?\w*|\w*CERT\w*|HPE_\w+)$/.test(code)
  );
}

/** `{error: {message, code, type}}`, the same without its envelope, or nothing that tells. */
function errorObject(value: unknown): Record<string, unknown> | undefined {
  if (!isRecord(value)) return undefined;
  const response = isRecord(value["response"]) ? value["response"] : undefined; // OpenAI's response.failed
  const inner = value["error"] ?? response?.["error"];
  if (isRecord(inner)) return inner;
  if (typeof inner === "string") return { ...value, message: inner };
  return value instanceof Error || typeof value["message"] !== "string" ? undefined : value;
}

function textOf(error: unknown, data: Record<string, unknown>): string {
  if (typeof data["message"] === "string") return data["message"];
  if (typeof error === "string") return error;
  const all = causes(error).map(({ message }) => message);
  return [...new Set(all)].filter((message) => message !== "").join(": ");
}

function numeric(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && number >= 100 && number < 600 ? number : undefined;
}

function word(value: unknown): string | undefined {
  return typeof value === "string" && !/^\d+$/.test(value) ? value : undefined;
}
