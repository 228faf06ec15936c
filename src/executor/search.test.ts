import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { results, types, useScene } from "./scene.ts";

const scene = useScene();
const ASKS = { policy: { approvals: "ask", config: [] } } as const;

beforeEach(async () => {
  await mkdir(join(scene.workspace, "src"));
  await mkdir(join(scene.workspace, "../other"));
  await writeFile(join(scene.workspace, "src/code"), "needle in here\n");
  await writeFile(join(scene.workspace, "../other/secret"), "needle out there\n");
  await symlink("../other", join(scene.workspace, "out"));
  await symlink("../other/secret", join(scene.workspace, "link"));
  await symlink("src", join(scene.workspace, "in"));
});

/** What a search without anyone's leave comes to: its result, or that it is asked for. */
async function search(path: string | undefined, hidden = join(scene.workspace, "../none")): Promise<string> {
  const args = { pattern: "needle", ...(path !== undefined && { path }) };
  await scene.run(({ context }) => (context.length === 1 ? { call: "search", args } : "I see."), ASKS, {
    hidden,
  });
  const session = await scene.send("find it");
  const log = await Promise.race([
    scene.untilFact(session, "turn_ended"),
    scene.untilFact(session, "ask_opened"),
  ]);
  return types(log).includes("ask_opened") ? "asked for" : (results(log)[0]?.result ?? "");
}

it.each([
  ["everything", undefined],
  ["a directory", "src"],
  ["a link that stays inside", "in"],
  ["a way that comes back", "out/../../work/src"],
])("runs unasked inside the workspace: %s", async (_, path) => {
  expect(await search(path)).toMatch(/^[^\n]*needle in here\n$/);
});

it("runs unasked by the whole path of what is inside", async () => {
  expect(await search(join(scene.workspace, "src"))).toContain("needle in here");
});

it.each(["out", "out/secret", "link", "src/../out", "../other", "/etc/hostname"])(
  "is asked for where it really leads out: %s",
  async (path) => {
    expect(await search(path)).toBe("asked for");
  },
);

it("leaves Holdfast's own directory out, and is refused in it", async () => {
  const home = join(scene.workspace, "deep/[home]");
  await mkdir(home, { recursive: true });
  await mkdir(join(scene.workspace, "deep/h"));
  await writeFile(join(home, "token"), "needle of ours\n");
  await writeFile(join(scene.workspace, "deep/h/code"), "needle in deep\n");
  await symlink("deep", join(scene.workspace, "way"));
  for (const path of [undefined, "deep", "way"]) {
    const found = await search(path, home);
    expect(found).toContain("needle in deep");
    expect(found).not.toContain("needle of ours");
  }
  for (const path of ["deep/[home]", "way/[home]/token", home])
    expect(await search(path, home)).toContain("is Holdfast's own");
});

it("is refused a path with a NUL", async () => {
  expect(await search("src\0")).toContain("NUL");
});

it("that was approved is asked for again when its link leads elsewhere by then", async () => {
  await mkdir(join(scene.workspace, "../third"));
  const away = { hidden: join(scene.workspace, "../none") };
  const call = { call: "search", args: { pattern: "needle", path: "out" } };
  await scene.run(({ context }) => (context.length === 1 ? call : "I see."), ASKS, away);
  const session = await scene.send("find it");
  const opened = (await scene.untilFact(session, "ask_opened")).at(-1)?.data as { ask: string };
  await scene.stop();
  await rm(join(scene.workspace, "out"));
  await symlink("../third", join(scene.workspace, "out"));
  const answer = { choice: "once" };
  await scene.append(session, { type: "ask_answered", data: { ask: opened.ask, kind: "approval", answer } });
  await scene.run(() => "never", ASKS, away);
  const again = (await scene.untilFact(session, "ask_opened", 2)).at(-1)?.data;
  expect(again).toMatchObject({
    details: expect.arrayContaining([{ name: "leads to", text: join(scene.workspace, "../third") }]),
  });
});
