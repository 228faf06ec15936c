import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { Profile } from "./drain.ts";
import { results, useScene } from "./scene.ts";

const scene = useScene();

beforeEach(async () => {
  await mkdir(join(scene.workspace, "secrets"));
  await writeFile(join(scene.workspace, "secrets/k"), "the key\n");
  await symlink("secrets", join(scene.workspace, "way"));
  await symlink("secrets/k", join(scene.workspace, "link"));
});

const SPELLINGS = [
  "secrets/k",
  "./secrets/k",
  "x/../secrets/k",
  ".//secrets/./k",
  "../work/secrets/k",
  "way/k",
  "link",
];

it.each(["secrets/*", "./secrets/*", "WORKSPACE/secrets/*"])(
  "a rule on %s holds by whatever name a file is called",
  async (match) => {
    const inWorkspace = (path: string) => path.replace("WORKSPACE", scene.workspace);
    const calls = [...SPELLINGS, "WORKSPACE/secrets/k"].map(inWorkspace).flatMap((path) => [
      { call: "read", args: { path } },
      { call: "write", args: { path, text: "mine" } },
      { call: "edit", args: { path, old: "key", new: "lock" } },
      { call: "search", args: { pattern: "key", path } },
    ]);
    await scene.run(({ context }) => (context.length === 1 ? { calls } : "Never mind."), {
      policy: {
        approvals: "auto",
        config: [{ tool: "*", match: inWorkspace(match), decision: "deny" }],
      },
    });
    const log = await scene.untilFact(await scene.send("try"), "turn_ended");
    expect(results(log).map(({ status }) => status)).toEqual(calls.map(() => "denied"));
  },
);

const RULES = (...rules: [tool: string, match: string, decision: "deny" | "ask" | "allow"][]) => ({
  policy: {
    approvals: "auto" as const,
    config: rules.map(([tool, match, decision]) => ({ tool, match, decision })),
  },
});

/** What searches of these paths come to. */
async function searches(
  profile: Partial<Profile>,
  paths: readonly string[],
  pattern = "key",
): Promise<string[]> {
  const calls = paths.map((path) => ({ call: "search", args: { pattern, path } }));
  await scene.run(({ context }) => (context.length === 1 ? { calls } : "I see."), profile);
  const log = await scene.untilFact(await scene.send("find it"), "turn_ended");
  return calls.map((_, n) => results(log).find(({ call }) => call.endsWith(`-${n}`))?.result ?? "");
}

it.each(["secrets/*", "./secrets/*", "WORKSPACE/secrets/*", "s*k", "*/k", "secrets/k"])(
  "a search of more shows nothing of what a rule on %s keeps from reading",
  async (match) => {
    await writeFile(join(scene.workspace, "open"), "a key too\n");
    const rule = match.replace("WORKSPACE", scene.workspace);
    const paths = [".", "secrets", "way", scene.workspace, "./x/.."];
    const found = await searches(RULES(["read", rule, "deny"]), paths);
    const left = `[left out: what the rules keep from you, ${rule}]\n`;
    expect(found).toEqual([
      `./open:1:a key too\n${left}`,
      `Nothing matches.\n${left}`,
      `Nothing matches.\n${left}`,
      `./open:1:a key too\n${left}`,
      `./open:1:a key too\n${left}`,
    ]);
  },
);

it("a search shows nothing of what a person is to be asked about, unless that was asked for and allowed", async () => {
  const asked = RULES(["*", "secrets*", "ask"]);
  expect(await searches(asked, ["."])).toEqual([expect.stringMatching(/^Nothing matches\.\n\[left out/)]);
  await scene.run(
    ({ context }) =>
      context.length === 1 ? { call: "search", args: { pattern: "key", path: "secrets" } } : "I see.",
    asked,
  );
  const session = await scene.send("find it");
  const opened = (await scene.untilFact(session, "ask_opened")).at(-1)?.data as { ask: string };
  const answer = { choice: "once" };
  await scene.append(session, { type: "ask_answered", data: { ask: opened.ask, kind: "approval", answer } });
  const log = await scene.untilFact(session, "turn_ended");
  expect(results(log)[0]?.result).toContain("the key");
});

it("a search does not tell by its words whether what it may not show matches", async () => {
  const rules = RULES(["*", "secrets/*", "deny"]);
  const [right] = await searches(rules, ["."], "the key");
  const [wrong] = await searches(rules, ["."], "no such");
  expect(right).toBe(wrong);
});

it("what a search may not show is not let through by a name with a line end in it", async () => {
  await writeFile(join(scene.workspace, "secrets/a\nopen"), "the key\n");
  await mkdir(join(scene.workspace, "secrets/b\nopen"));
  await writeFile(join(scene.workspace, "secrets/b\nopen/k"), "the key\n");
  const [found] = await searches(RULES(["search", "secrets/*", "deny"]), ["."]);
  expect(found).not.toContain("the key");
});

it("a search that a rule narrows still says what is wrong with its pattern", async () => {
  const [found] = await searches(RULES(["read", "secrets/*", "deny"]), ["."], "(");
  expect(found).toMatch(/unmatched|Unmatched/i);
  expect(found).not.toContain("Nothing matches");
});

it("a rule that only allows, or is about another tool, narrows no search", async () => {
  const found = await searches(RULES(["edit", "secrets/*", "deny"], ["read", "*", "allow"]), ["."]);
  expect(found).toEqual(["./secrets/k:1:the key\n"]);
});

it("a rule on a link holds for what is reached through it", async () => {
  await scene.run(
    ({ context }) => (context.length === 1 ? { call: "read", args: { path: "./way/k" } } : "Never mind."),
    { policy: { approvals: "auto", config: [{ tool: "read", match: "way/*", decision: "deny" }] } },
  );
  const log = await scene.untilFact(await scene.send("try"), "turn_ended");
  expect(results(log)).toMatchObject([{ status: "denied" }]);
});

it("a rule on the whole path holds where the workspace was named by a link, by either name of it", async () => {
  const link = `${scene.workspace}-link`;
  await symlink(scene.workspace, link);
  const workspace = () => ({ path: link, scratch: false });
  for (const named of [scene.workspace, link]) {
    await scene.run(
      ({ context }) => (context.length % 2 ? { call: "read", args: { path: "secrets/k" } } : "Never mind."),
      {
        workspace,
        policy: {
          approvals: "auto",
          config: [{ tool: "read", match: `${named}/secrets/*`, decision: "deny" }],
        },
      },
    );
    const log = await scene.untilFact(await scene.send("try"), "tool_finished");
    expect(results(log)).toMatchObject([{ status: "denied" }]);
  }
});
