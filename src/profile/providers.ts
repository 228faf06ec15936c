// Whom models can be had from: what the configuration names, and what is there without it.
import type { Config } from "../config/schema.ts";
import { foundKey, type Env, type ProviderConfig } from "../driver/builtin/endpoint.ts";
import type { Ollama } from "./ollama.ts";

export type Providers = Readonly<Record<string, ProviderConfig>>;

/** A model that can be used without any configuration, as `because` says. */
export type Offer = { name: string; model: string; because: string };

const KNOWN: Providers = {
  demo: { kind: "demo" },
  anthropic: { kind: "anthropic" },
  openai: { kind: "openai" },
  google: { kind: "google" },
};

const USUAL_MODELS = [
  ["anthropic", "claude-sonnet-5-5"],
  ["openai", "gpt-5.6"],
  ["google", "gemini-flash-latest"],
] as const;

export const DEMO_MODEL = "demo/script";

/** Those that need a key are there without it too: whoever names one is told which key is missing. */
export function providersOf({ providers }: Pick<Config, "providers">, ollama: Ollama | undefined): Providers {
  const local: Providers = ollama ? { ollama: { kind: "openai-compatible", baseUrl: ollama.baseUrl } } : {};
  return { ...KNOWN, ...local, ...providers };
}

/** The best first. */
export function offersOf(providers: Providers, env: Env, ollama: Ollama | undefined): Offer[] {
  const keyed = USUAL_MODELS.flatMap(([name, model]): Offer[] => {
    const provider = providers[name];
    const variable = provider && foundKey(provider, env);
    return variable === undefined ? [] : [{ name, model: `${name}/${model}`, because: `${variable} is set` }];
  });
  const local: Offer[] = (ollama?.models ?? [])
    .slice(0, 1)
    .map((model) => ({ name: "ollama", model: `ollama/${model}`, because: "Ollama runs on this machine" }));
  return [...keyed, ...local, { name: "demo", model: DEMO_MODEL, because: "it needs nothing" }];
}
