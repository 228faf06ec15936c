// Looks once at what there is on this machine to work with: keys, a local Ollama, a sandbox. For the server when it starts,
// and for `holdfast doctor`.
import type { Settings } from "../config/settings.ts";
import { foundKey, keyVariables, type Env } from "../driver/builtin/endpoint.ts";
import { describeSandbox, probeSandbox } from "../process/probe-sandbox.ts";
import type { Sandbox } from "../process/sandbox.ts";
import { listedProfile, type ListedProfile } from "./listed.ts";
import { findOllama } from "./ollama.ts";
import { profilesOf, type NamedProfile } from "./profiles.ts";
import { toolNotices } from "./tools.ts";
import { offersOf, providersOf, type Providers } from "./providers.ts";

export type FoundAgents = {
  providers: Providers;
  profiles: NamedProfile[];
  listed: ListedProfile[];
  sandbox: Sandbox;
  /** What the configuration asks for and does not get. */
  notices: string[];
};

export async function findAgents({ home, config }: Settings, env: Env): Promise<FoundAgents> {
  const [ollama, sandbox] = await Promise.all([findOllama(env), probeSandbox(home, env["PATH"] ?? "")]);
  const providers = providersOf(config, ollama);
  const profiles = profilesOf(config, offersOf(providers, env, ollama));
  const listed = profiles.map((profile) =>
    listedProfile(profile, { providers, env, sandbox, mcp: Object.keys(config.mcp) }),
  );
  return { providers, profiles, listed, sandbox, notices: toolNotices(profiles) };
}

/** What `doctor` says of them: which keys are there, never the keys. */
export type AgentsReport = {
  sandbox: string;
  providers: { name: string; kind: string; key: string }[];
  profiles: ListedProfile[];
  notices: string[];
};

export function describeAgents({ providers, listed, sandbox, notices }: FoundAgents, env: Env): AgentsReport {
  return {
    sandbox: describeSandbox(sandbox),
    notices,
    providers: Object.entries(providers).map(([name, provider]) => ({
      name,
      kind: provider.kind,
      key: keyWords(keyVariables(provider), foundKey(provider, env)),
    })),
    profiles: listed,
  };
}

function keyWords(variables: readonly string[], found: string | undefined): string {
  if (variables.length === 0) return "needs none";
  return found === undefined ? `missing: ${variables.join(" or ")}` : `in ${found}`;
}
