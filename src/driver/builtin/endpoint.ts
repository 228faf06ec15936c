// From a configured provider to whom a call goes to, with the key that it needs.
import type { ProviderFault } from "../driver.ts";

export type WireKind = "openai-compatible" | "openai" | "anthropic" | "google";

/** A table `[providers.<name>]` of config.toml. */
export type ProviderConfig = {
  kind: WireKind | "demo";
  baseUrl?: string | undefined;
  /** The variable's name, never the key. */
  apiKeyEnv?: string | undefined;
};

export type Env = Readonly<Record<string, string | undefined>>;

/** Whom a call goes to, for requests and for what is said about their failure. */
export type Endpoint = {
  provider: string;
  kind: WireKind;
  model: string;
  baseUrl: string;
  key: { variable: string; secret: string } | null;
};

export type Located =
  | { ok: true; kind: "wire"; endpoint: Endpoint }
  | { ok: true; kind: "demo" }
  | { ok: false; fault: ProviderFault };

/** Finds whom `<provider>/<model>` means, with the key that it needs. */
export function locateModel(
  named: string,
  providers: Readonly<Record<string, ProviderConfig>>,
  env: Env,
): Located {
  const slash = named.indexOf("/");
  const provider = slash < 0 ? named : named.slice(0, slash);
  const model = slash < 0 ? "" : named.slice(slash + 1);
  const config = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (!config) {
    const known = Object.keys(providers).sort().join(", ");
    const message = `The model "${named}" names the provider "${provider}", which config.toml does not have. Configured: ${known}.`;
    return { ok: false, fault: { class: "unknown_model", message } };
  }
  if (config.kind === "demo") return { ok: true, kind: "demo" };
  if (model === "") {
    const message = `"${named}" names no model; write it as ${provider}/<model>.`;
    return { ok: false, fault: { class: "unknown_model", message } };
  }
  const { kind } = config;
  const baseUrl = config.baseUrl ?? BASE_URLS[kind];
  if (baseUrl === undefined) {
    const message = `The provider "${provider}" has no baseUrl; set it in config.toml under [providers.${provider}].`;
    return { ok: false, fault: { class: "unknown_model", message } };
  }
  const variables = keyVariables(config);
  const key = findKey(variables, env);
  if (key === "missing") {
    const variable = variables.join(" or ");
    const message = `The provider "${provider}" needs a key: set the environment variable ${variable} and start Holdfast again.`;
    return { ok: false, fault: { class: "auth", message } };
  }
  return { ok: true, kind: "wire", endpoint: { provider, kind, model, baseUrl, key } };
}

/** Named here and not left to the SDK, which would look into the process's environment for others. */
const BASE_URLS: Record<WireKind, string | undefined> = {
  "openai-compatible": undefined,
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** Where a key is looked for when the configuration names no variable; a local server may well want none. */
const KEY_VARIABLES: Record<WireKind, string[]> = {
  "openai-compatible": [],
  openai: ["OPENAI_API_KEY"],
  anthropic: ["ANTHROPIC_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
};

/** Where the key of a provider is looked for; none when it wants none. */
export function keyVariables({ kind, apiKeyEnv }: ProviderConfig): readonly string[] {
  if (apiKeyEnv !== undefined) return [apiKeyEnv];
  return kind === "demo" ? [] : KEY_VARIABLES[kind];
}

/** The variable that holds a key, if one does. */
export function foundKey(config: ProviderConfig, env: Env): string | undefined {
  const key = findKey(keyVariables(config), env);
  return key === "missing" ? undefined : key?.variable;
}

function findKey(variables: readonly string[], env: Env): Endpoint["key"] | "missing" {
  if (variables.length === 0) return null;
  for (const variable of variables) {
    const secret = env[variable]?.trim();
    if (secret) return { variable, secret };
  }
  return "missing";
}
