import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ids, owner, results, types, useScene } from "./scene.ts";
import { openWorkspace, workspaceOf } from "./workspace.ts";

const scene = useScene();
const twoCalls = {
  calls: ["one", "two"].map((name) => ({ call: "write", args: { path: name, text: name } })),
};

it("a session that nobody gave a directory gets one of its own when it first needs it, once", async () => {
  const folder = join(scene.workspace, "scratch");
  await scene.run(({ context }) => (context.length === 1 ? twoCalls : "Written."), {
    workspace: (session) => workspaceOf(session, undefined, folder),
  });
  const id = ids.next("ses");
  const input = { type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "go" } } as const;
  await scene.store.createSession({ id, profile: "default", first: [input] }, owner);
  const log = await scene.untilFact(id, "turn_ended");
  expect(results(log)).toMatchObject([{ status: "ok" }, { status: "ok" }]);
  expect(types(log).filter((type) => type === "workspace_chosen")).toHaveLength(1);
  expect((await scene.store.view(id))?.meta.workspace).toBe(join(folder, id));

  // From here on it is the session's own: when it is gone, so are the files, and that is said.
  await rm(join(folder, id), { recursive: true });
  expect(await openWorkspace(workspaceOf({ id, workspace: join(folder, id) }, undefined, folder))).toMatch(
    /does not exist/,
  );
});

it("a workspace that vanished is a result, for commands as for files, and the session goes on", async () => {
  const gone = join(scene.workspace, "gone");
  await mkdir(gone);
  const calls = {
    calls: [
      { call: "shell", args: { command: "ls" } },
      { call: "write", args: { path: "x", text: "x" } },
    ],
  };
  await scene.run(({ context }) => (context.length === 1 ? calls : "I see."), {
    workspace: () => ({ path: gone, scratch: false }),
  });
  await rm(gone, { recursive: true });
  const log = await scene.untilFact(await scene.send("go"), "turn_ended");
  for (const result of results(log))
    expect(result).toMatchObject({
      status: "error",
      result: expect.stringContaining(`${gone} does not exist`),
    });
  expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
});

it("a workspace is the session's before its profile's, and may begin at home", async () => {
  const of = (own: string | null, profile?: string) =>
    workspaceOf({ id: "ses_1", workspace: own }, profile, "/scratch");
  expect(of("/own", "/profile")).toEqual({ path: "/own", scratch: false });
  expect(of(null, "~/work")).toEqual({ path: join(homedir(), "work"), scratch: false });
  expect(of(null)).toEqual({ path: "/scratch/ses_1", scratch: true });
  expect(await openWorkspace(of("relative"))).toMatch(/absolute/);
  await writeFile(join(scene.workspace, "file"), "");
  expect(await openWorkspace(of(join(scene.workspace, "file")))).toMatch(/not a directory/);
});
