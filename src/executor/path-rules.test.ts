import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
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
