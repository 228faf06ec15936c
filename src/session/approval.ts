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
  /** Where that is a path. */
  path?: SubjectPath;
  /** Where that is a command: a shell runs all that is in it. */
  command?: boolean;
  /** Of the tool, its whole arguments, the directory and whoever does it: exactly what will run. */
  digest: string;
  /** It can do no harm, or the sandbox keeps it from doing any. */
  harmless: boolean;
};

/** A path is relative to the workspace, or whole where it leads out of it. */
export type SubjectPath = {
  /** By its real name, which links may make another. */
  real: string;
  /** The whole path of the workspace, as it was named. */
  root: string;
  /** The same by its real name. */
  realRoot: string;
};

export type Decision =
  | { decision: "allow" }
  /** `eachTime`: the configuration says so, and no rule that an answer could save would change it. */
  | { decision: "ask"; eachTime: boolean }
  | { decision: "deny"; why: string };

export function decide(proposal: Proposal, policy: Policy): Decision {
  for (const rules of [policy.config, policy.saved]) {
    const matching = rules.filter((rule) => matches(rule, proposal));
    const denied = matching.find(({ decision }) => decision === "deny");
    if (denied) return { decision: "deny", why: `The rule ${denied.tool} ${denied.match} denies it.` };
    if (matching.some(({ decision }) => decision === "ask")) return { decision: "ask", eachTime: true };
    if (matching.length > 0) return { decision: "allow" };
  }
  if (proposal.harmless || policy.approvals === "auto") return { decision: "allow" };
  if (policy.approvals === "deny")
    return { decision: "deny", why: "This profile denies what no rule allows." };
  return { decision: "ask", eachTime: false };
}

/**
 * Patterns of the paths that a call which finds things in files must show nothing of: what may not be read, or not without
 * a person's word. What was asked about itself has had that.
 */
export function withheldFrom(about: Pick<Proposal, "tool" | "subject" | "path">, policy: Policy): string[] {
  const kept = [...policy.config, ...policy.saved].filter(
    (rule) =>
      [about.tool, "read"].some((tool) => matchesPattern(rule.tool, tool)) &&
      !rule.match.startsWith("sha256:") &&
      (rule.decision === "deny" || (rule.decision === "ask" && !matches(rule, { ...about, digest: "" }))),
  );
  return [...new Set(kept.map(({ match }) => match))];
}

/** What "session" and "always" save: this tool, these bytes, this directory, this server. */
export function exactRule({ tool, digest }: Proposal, shown: string): Rule {
  return { tool, match: `sha256:${digest}`, decision: "allow", shown };
}

function matches({ tool, match, decision }: ConfigRule, proposal: Omit<Proposal, "harmless">): boolean {
  if (!matchesPattern(tool, proposal.tool)) return false;
  if (match.startsWith("sha256:")) return match === `sha256:${proposal.digest}`;
  const { subject, path, command } = proposal;
  if (command && decision === "allow") return allowsCommand(match, subject);
  if (!path) return matchesPattern(match, subject);
  const pattern = match.startsWith("./") ? match.slice(2) : match;
  // Both roots are names of one directory: whoever makes a rule may know it by either.
  const fits = (name: string) =>
    [path.root, path.realRoot].some((root) => matchesPattern(pattern, nameFor(match, name, root)));
  const names = [subject, path.real];
  // A link is no way around a rule: what it forbids it forbids by either name, what it allows must be that by both.
  return decision === "allow" ? names.every(fits) : names.some(fits);
}

/** Whole for a pattern that is. */
function nameFor(pattern: string, name: string, root: string): string {
  if (!pattern.startsWith("/") || name.startsWith("/")) return name;
  return name === "." ? root : `${root}/${name}`;
}

/**
 * Whoever allows `git *` does not mean what is chained behind it: there `*` stands for nothing that has a shell run, read or
 * write something more. In quotes it would not, but only a shell could tell, so a person is asked. `*` alone allows all
 * commands, and so these.
 */
function allowsCommand(pattern: string, command: string): boolean {
  if (/^\*+$/.test(pattern)) return true;
  return matchesPattern(pattern, command, (from, to) => {
    const begun = command.slice(Math.max(0, from - 1), to + 1); // `$(` may begin or end outside of it
    return !/[;&|<>`\n]/.test(command.slice(from, to)) && !begun.includes("$(");
  });
}

/**
 * `*` stands for anything, or for what may stand there, all else for itself. Without a regular expression: a pattern can't be
 * made to take forever.
 */
export function matchesPattern(
  pattern: string,
  text: string,
  mayStand: (from: number, to: number) => boolean = () => true,
): boolean {
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (parts.length === 1) return text === pattern;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || !mayStand(at, found)) return false;
    at = found + part.length;
  }
  const end = text.length - last.length;
  return at <= end && mayStand(at, end);
}
