// Which secrets Holdfast knows: the keys of providers, its own token, the passwords within its addresses and the tokens
// within those of MCP servers, what webhooks are signed with, and what is passed on to commands and MCP servers under a name that says that it is secret.
import type { Settings } from "../config/settings.ts";
import { keyVariables, type Env } from "../driver/builtin/endpoint.ts";
import type { Secret } from "../secret/forms.ts";
import { saysSecret } from "../secret/says-secret.ts";
import { providersOf } from "./providers.ts";

/** No key is made of words alone: this is set for servers that want none (`lm-studio`, `not-needed`). */
const PLAIN_WORDS = /^[a-z]+([-_ ][a-z]+)*$/;

export function knownSecrets({ config, databaseUrl, token }: Pick<Settings, Used>, env: Env): Secret[] {
  // A provider that is configured in place of one that is there without it does not make the usual key any less secret.
  const usual = Object.values(providersOf({ providers: {} }, undefined));
  const configured = Object.entries(config.providers);
  const valuesOf = (names: readonly string[]) =>
    Array.from(new Set(names), (name) => ({ name, value: env[name]?.trim() ?? "" }));
  const keys = [...configured.map(([, provider]) => provider), ...usual].flatMap(keyVariables);
  const others = [
    ...config.webhooks.flatMap(({ secretEnv }) => secretEnv ?? []),
    ...Object.values(config.mcp).flatMap(({ tokenEnv }) => tokenEnv ?? []),
    ...[...Object.values(config.profiles), ...Object.values(config.mcp)].flatMap(({ passEnv }) =>
      passEnv.filter(saysSecret),
    ),
  ];
  return [
    ...valuesOf(keys).filter(({ value }) => !PLAIN_WORDS.test(value)),
    ...valuesOf(others),
    { name: "HOLDFAST_TOKEN", value: token ?? "" },
    ...passwordIn("HOLDFAST_DATABASE_URL", databaseUrl),
    ...configured.flatMap(([name, { baseUrl }]) => passwordIn(`providers.${name}.baseUrl`, baseUrl)),
    ...Object.entries(config.mcp).flatMap(([name, { url }]) =>
      passwordIn(`mcp.${name}.url`, url, saysSecret),
    ),
  ].filter(({ value }) => value !== "");
}

type Used = "config" | "databaseUrl" | "token";

/** As it is and as the address writes it. One that stands elsewhere in the address too (postgres:postgres) is no secret. */
function passwordIn(
  name: string,
  address: string | undefined,
  isSecret = (parameter: string): boolean => parameter === "password",
): Secret[] {
  const url = address === undefined ? null : URL.parse(address);
  if (!url) return [];
  const secret = Array.from(new Set(url.searchParams.keys())).filter(isSecret);
  const written = [url.password, ...secret.flatMap((parameter) => url.searchParams.getAll(parameter))];
  url.password = "";
  for (const parameter of secret) url.searchParams.delete(parameter);
  return [...new Set(written.flatMap((password) => [password, decoded(password)]))]
    .filter((value) => !url.href.includes(value)) // nor is an empty one
    .map((value) => ({ name, value }));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is itself
  }
}
