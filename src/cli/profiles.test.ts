import { expect, test } from "vitest";
import { captureTerminal } from "../../test/captured-terminal.ts";
import type { ProfileInfo } from "../client/commands.ts";
import { printProfiles } from "./profiles.ts";

const profile: ProfileInfo = {
  name: "default",
  driver: "builtin",
  model: "demo/demo",
  demo: true,
  origin: "config.toml",
  workspace: null,
  tools: [],
  mcp: [],
  contextTokens: 1,
  approvals: "ask",
  sandboxed: false,
  sandbox: "bwrap is not installed",
  unusable: null,
};

test.each([
  ["ask", false, "no, asks"],
  ["auto", false, "no, and never asks"],
  ["deny", false, "no, denies"],
  ["auto", true, "yes"],
] as const)("approvals %s, sandboxed %s: %s", (approvals, sandboxed, expected) => {
  const { terminal, out } = captureTerminal();
  printProfiles(terminal, [{ ...profile, approvals, sandboxed }]);
  expect(out().trimEnd().endsWith(`  ${expected}`)).toBe(true);
});
