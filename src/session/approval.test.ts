import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, exactRule, matchesPattern, type Policy, type Proposal } from "./approval.ts";
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
});
