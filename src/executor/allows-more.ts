// Whether an agent could have something done by another that it may not do itself, or not without a person's word. Only
// what is plainly no more counts as no more: whoever is asked needlessly says yes once, whoever is not asked can't say no.
import type { ConfigRule, Policy } from "../session/approval.ts";
import type { Profile } from "./drain.ts";

export type Allowed = Pick<Profile, "toolbox" | "mcp" | "sandboxed" | "network" | "passEnv"> & {
  policy: Policy;
};

export function allowsMore(own: Allowed, other: Allowed): boolean {
  return (
    LAXITY[other.policy.approvals] > LAXITY[own.policy.approvals] ||
    // In a sandbox commands run without asking, outside of one they get at everything: neither is less than the other.
    other.sandboxed !== own.sandboxed ||
    (other.sandboxed && other.network && !own.network) ||
    other.toolbox
      .tools()
      .keys()
      .some((tool) => !own.toolbox.tools().has(tool)) ||
    other.mcp.some((server) => !own.mcp.includes(server)) ||
    other.passEnv.some((name) => !own.passEnv.includes(name)) ||
    rulesAllowMore(own.policy.config, other.policy.config) ||
    rulesAllowMore(own.policy.saved, other.policy.saved)
  );
}

const LAXITY: Readonly<Record<Policy["approvals"], number>> = { deny: 0, ask: 1, auto: 2 };

/** One that allows and that the own ones lack, or an own one that does not and is lacking there. */
function rulesAllowMore(own: readonly ConfigRule[], other: readonly ConfigRule[]): boolean {
  const lacks = (rules: readonly ConfigRule[], { tool, match, decision }: ConfigRule) =>
    !rules.some((rule) => rule.tool === tool && rule.match === match && rule.decision === decision);
  return (
    other.some((rule) => rule.decision === "allow" && lacks(own, rule)) ||
    own.some((rule) => rule.decision !== "allow" && lacks(other, rule))
  );
}
