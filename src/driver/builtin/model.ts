// The AI SDK: it owns the wire to each provider. Imported here and nowhere else, each provider with its first call:
// 55 ms and 24 MB that an idle server does not pay.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Endpoint, WireKind } from "./endpoint.ts";

export type LanguageModel = LanguageModelV4;
export type CallOptions = LanguageModelV4CallOptions;
export type Prompt = LanguageModelV4Prompt;
export type PromptMessage = Prompt[number];
export type StreamPart = LanguageModelV4StreamPart;
export type SdkUsage = LanguageModelV4Usage;
/** What a provider said about a piece, or wants to hear of it, under its own name. */
export type ProviderOptions = SharedV4ProviderOptions;

export async function openModel(endpoint: Endpoint, fetch: typeof globalThis.fetch): Promise<LanguageModel> {
  const { kind, model, baseUrl: baseURL } = endpoint;
  const apiKey = endpoint.key?.secret ?? "";
  switch (kind) {
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      // Its name is the one under which provider data is kept, so it is not the configured one, which may change.
      const settings = { name: "compatible", baseURL, fetch, includeUsage: true };
      return createOpenAICompatible(apiKey === "" ? settings : { ...settings, apiKey })(model);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ baseURL, fetch, apiKey })(model);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL, fetch, apiKey })(model);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ baseURL, fetch, apiKey })(model);
    }
  }
}

/** What each wire needs besides the prompt. */
export function callSettings(kind: WireKind, session: string): Partial<CallOptions> {
  switch (kind) {
    case "anthropic":
      // Unset, the SDK says 4096 for models it does not know, too little to write a file; for those it knows it lowers
      // what is too high.
      return { maxOutputTokens: 32_000 };
    case "openai":
      // Not stored there: the log is what remembers, and it goes on with another key or after 30 days as well.
      return { providerOptions: { openai: { store: false, promptCacheKey: session } } };
    case "google":
    case "openai-compatible":
      return {};
  }
}
