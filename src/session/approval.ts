// Whether a call may run, must not, or is put to a person. Config rules win over saved ones, deny over ask over allow, and
// what no rule speaks of follows the profile. Unattended means wait, never allow.
import type { Rule } from "./event.ts";

export type Policy = {
  /** For calls that are not harmless by themselves and that no rule speaks of. */
  approvals: "ask" | "auto" | "deny";
  config: readonly ConfigRule[];
  /** Of the profile (`always`) and of the session (`session`). */
  saved: readonly Rule[];
};

/** A configuration may also say that something is always put to a person, however harmless it looks. */
export type ConfigRule = Omit<Rule, "decision"> & { decision: Rule["decision"] | "ask" };

export type Proposal = {
  tool: string;
  /** What the call is about, for patterns: a command, a path. */
  subject: string;
  /** Of the tool, its whole arguments and the directory: exactly what will run. */
  digest: string;
  /** It can do no harm, or the sandbox keeps it from doing any. */
  harmless: boolean;
};

export type Decision = { decision: "allow" | "ask" } | { decision: "deny"; why: string };

export function decide(proposal: Proposal, policy: Policy): Decision {
  for (const rules of [policy.config, policy.saved]) {
    const matching = rules.filter((rule) => matches(rule, proposal));
    const denied = matching.find(({ decision }) => decision === "deny");
    if (denied) return { decision: "deny", why: `The rule ${denied.tool} ${denied.match} denies it.` };
    if (matching.some(({ decision }) => decision === "ask")) return { decision: "ask" };
    if (matching.length > 0) return { decision: "allow" };
  }
  if (proposal.harmless || policy.approvals === "auto") return { decision: "allow" };
  if (policy.approvals === "deny")
    return { decision: "deny", why: "This profile denies what no rule allows." };
  return { decision: "ask" };
}

/** What "session" and "always" save: this tool, these bytes, this directory. */
export function exactRule({ tool, digest }: Proposal, shown: string): Rule {
  return { tool, match: `sha256:${digest}`, decision: "allow", shown };
}

function matches({ tool, match }: ConfigRule, proposal: Proposal): boolean {
  if (tool !== "*" && tool !== proposal.tool) return false;
  return match.startsWith("sha256:")
    ? match === `sha256:${proposal.digest}`
    : matchesPattern(match, proposal.subject);
}

/** `*` stands for anything, all else for itself. Without a regular expression: a pattern can't be made to take forever. */
export function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (parts.length === 1) return text === pattern;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
