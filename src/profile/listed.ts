// Profiles as people and clients see them: which agents there are, and whether each can work here.
import { locateModel, type Env } from "../driver/builtin/endpoint.ts";
import { sandboxFor, type Sandbox } from "../process/sandbox.ts";
import type { NamedProfile } from "./profiles.ts";
import type { Providers } from "./providers.ts";
import { toolsThere } from "./tools.ts";

export type ListedProfile = {
  name: string;
  driver: "builtin" | "acp";
  model: string | null;
  /** A scripted model: shown as such wherever it speaks. */
  demo: boolean;
  /** Why it is there: the configuration, or what was found. */
  origin: string;
  workspace: string | null;
  tools: string[];
  /** The MCP servers of which it has the tools. */
  mcp: string[];
  contextTokens: number;
  approvals: "ask" | "auto" | "deny";
  /** Whether its commands run behind a sandbox, in words that end up in a tooltip. */
  sandboxed: boolean;
  sandbox: string;
  /** Why it can't work; null when it can. */
  unusable: string | null;
};

/** What there is on this machine; `mcp` are all servers by name. */
type Around = { providers: Providers; env: Env; sandbox: Sandbox; mcp: readonly string[] };

export function listedProfile(
  { name, model, origin, config }: NamedProfile,
  { providers, env, sandbox: probed, mcp }: Around,
): ListedProfile {
  const located = model === null ? undefined : locateModel(model, providers, env);
  const sandbox = sandboxFor(config.sandbox, probed);
  return {
    name,
    driver: config.driver,
    model,
    demo: located?.ok === true && located.kind === "demo",
    origin,
    workspace: config.workspace ?? null,
    tools: toolsThere(config),
    mcp: config.mcp ?? [...mcp],
    contextTokens: config.contextTokens,
    approvals: config.approvals,
    sandboxed: sandbox.kind === "bubblewrap",
    sandbox: sandbox.kind === "bubblewrap" ? `bubblewrap ${sandbox.version}` : sandbox.reason,
    unusable: whyNot(),
  };

  function whyNot(): string | null {
    if (located === undefined) return "external agents (acp) can't be run by this version";
    if (!located.ok) return located.fault.message;
    return sandbox.kind === "refused" ? sandbox.reason : null;
  }
}
