import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decide,
  exactRule,
  matchesPattern,
  type ConfigRule,
  type Policy,
  type Proposal,
} from "./approval.ts";
import type { Rule } from "./event.ts";

const call: Proposal = { tool: "shell", subject: "rm -rf build", digest: "abc", harmless: false };
const policy = (
  config: Policy["config"] = [],
  saved: Rule[] = [],
  approvals: Policy["approvals"] = "ask",
): Policy => ({
  approvals,
  config,
  saved,
});
const rule = (match: string, decision: Rule["decision"], tool = "shell"): Rule => ({ tool, match, decision });

describe("an approval", () => {
  it("is asked for when no rule speaks and the call is not harmless", () => {
    expect(decide(call, policy()).decision).toBe("ask");
    expect(decide({ ...call, harmless: true }, policy()).decision).toBe("allow");
    expect(decide(call, policy([], [], "auto")).decision).toBe("allow");
    expect(decide(call, policy([], [], "deny")).decision).toBe("deny");
  });

  it("follows a config rule before a saved one, and a denial before an allowance", () => {
    expect(decide(call, policy([rule("rm *", "deny")], [exactRule(call, "rm")])).decision).toBe("deny");
    expect(decide(call, policy([rule("rm *", "allow"), rule("*", "deny")])).decision).toBe("deny");
    expect(decide(call, policy([rule("rm *", "allow")], [rule("*", "deny")])).decision).toBe("allow");
    expect(decide({ ...call, harmless: true }, policy([rule("*", "deny")])).decision).toBe("deny");
  });

  it("is asked for where the configuration says so, harmless or allowed as it may be", () => {
    const asks = policy([{ tool: "*", match: "rm *", decision: "ask" }, rule("rm *", "allow")]);
    expect(decide({ ...call, harmless: true }, asks)).toEqual({ decision: "ask", eachTime: true });
    expect(decide(call, policy())).toEqual({ decision: "ask", eachTime: false });
    expect(decide({ ...call, subject: "ls", harmless: true }, asks).decision).toBe("allow");
  });

  it("that was given for good holds for these bytes in this directory and nothing else", () => {
    const saved = policy([], [exactRule(call, "rm -rf build")]);
    expect(decide(call, saved).decision).toBe("allow");
    expect(decide({ ...call, digest: "abd" }, saved).decision).toBe("ask");
    expect(decide({ ...call, tool: "write" }, saved).decision).toBe("ask");
  });
});

describe("a rule on commands", () => {
  const shell = (subject: string): Proposal => ({ ...call, subject, command: true });
  const decision = (command: string, match: string, decided: ConfigRule["decision"] = "allow") =>
    decide(shell(command), policy([{ tool: "shell", match, decision: decided }])).decision;

  it.each([
    "git log; rm -rf x",
    "git log & rm -rf x",
    "git log && rm -rf x",
    "git log | sh",
    "git log\nrm -rf x",
    "git log `rm -rf x`",
    'git log "$(rm -rf x)"',
    "git diff <(rm -rf x)",
    "git log > x",
    "git apply < x",
  ])("allows nothing that is chained to what it names: %j", (command) => {
    expect(decision(command, "git *")).toBe("ask");
    expect(decision(command, "*x*")).toBe("ask");
    expect(decision(command, "git *", "deny")).toBe("deny");
    expect(decision(command, command)).toBe("allow");
    expect(decision(command, "*")).toBe("allow");
  });

  it("allows what it names, with whatever else stands in it", () => {
    expect(decision("git log --format='%(x) $y' {a,b} *", "git *")).toBe("allow");
    expect(decision("cd web && npm test -- a", "cd * && npm test*")).toBe("allow");
    expect(decision("cd web; rm x && npm test", "cd * && npm test*")).toBe("ask");
    expect(decision("cd web && npm test; rm x", "cd * && npm test*")).toBe("ask");
    expect(decision("echo $(rm x)", "echo $*")).toBe("ask");
    expect(decision("echo $(date) | tee a", "echo $(date) | tee *")).toBe("allow");
  });

  it("denies by its own pattern alone, which reads the command from its beginning", () => {
    expect(decision("rm -rf x; ls", "rm *", "deny")).toBe("deny");
    expect(decision("ls; rm -rf x", "rm *", "deny")).toBe("ask");
    expect(decision("ls; rm -rf x", "*rm *", "deny")).toBe("deny");
  });
});

describe("a rule on paths", () => {
  const read = (subject: string, real = subject): Proposal => ({
    ...call,
    tool: "read",
    subject,
    path: { real, root: "/work", realRoot: "/disk/work" },
  });
  const decision = (proposal: Proposal, match: string, decided: Rule["decision"]) =>
    decide(proposal, policy([rule(match, decided, "read")])).decision;

  it("forbids by the name or by the real name, and allows only by both", () => {
    expect(decision(read("a/k", "b/k"), "a/*", "deny")).toBe("deny");
    expect(decision(read("a/k", "b/k"), "b/*", "deny")).toBe("deny");
    expect(decision(read("a/k", "/etc/k"), "a/*", "allow")).toBe("ask");
    expect(decision(read("a/k", "a/x/k"), "a/*", "allow")).toBe("allow");
  });

  it("that begins at the root speaks of whole paths, inside the workspace too", () => {
    expect(decision(read("a/k"), "/work/a/*", "deny")).toBe("deny");
    expect(decision(read("."), "/work", "deny")).toBe("deny");
    expect(decision(read("a/k"), "/disk/work/a/*", "deny")).toBe("deny");
    expect(decision(read("a/k"), "/disk/work/*", "allow")).toBe("allow");
    expect(decision(read("a/k", "/disk/work2/k"), "/disk/work/*", "allow")).toBe("ask");
    expect(decision(read("/etc/k"), "/etc/*", "deny")).toBe("deny");
    expect(decision(read("/etc/k"), "etc/*", "deny")).toBe("ask");
  });
});

describe("a pattern", () => {
  it("matches as a regular expression with .* for each * would", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "\n"), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, subject) => {
        const escaped = pattern.split("*").map((part) => part.replaceAll(".", String.raw`\.`));
        expect(matchesPattern(pattern, subject)).toBe(new RegExp(`^${escaped.join("[^]*")}$`).test(subject));
      }),
      { numRuns: 3000 },
    );
  });

  it("matches as one with less for each * would, where not everything may stand there", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", ";", "*"), maxLength: 10 });
    fc.assert(
      fc.property(text, text, (pattern, subject) => {
        const isPlain = (from: number, to: number) => !subject.slice(from, to).includes(";");
        const expected = new RegExp(`^${pattern.replaceAll("*", "[^;]*")}$`).test(subject);
        expect(matchesPattern(pattern, subject, isPlain)).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });
});
