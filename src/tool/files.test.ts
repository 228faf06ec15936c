import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile, chmod, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { edit } from "./edit.ts";
import { Changed, replaceInside } from "./inside.ts";
import { read } from "./read.ts";
import { search } from "./search.ts";
import type { Outcome, PlainAction, Tool } from "./tool.ts";
import { write } from "./write.ts";

let base: string;
let workspace: string;
let hidden: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "holdfast-tool-"));
  workspace = join(base, "work");
  hidden = base; // as it is where nobody named a workspace
  await mkdir(workspace);
  await writeFile(join(base, "secret"), "not yours");
});
afterEach(() => rm(base, { recursive: true }));

async function use<Args>(tool: Tool<Args>, args: Args): Promise<Outcome> {
  const place = { session: "ses_1", workspace, hidden };
  const action = tool as Tool<Args> & PlainAction<Args>; // the tools here are plain ones
  const prepared = (await action.prepare?.(args, place)) ?? { ok: true, trace: null };
  if (!prepared.ok) return { status: "error", result: prepared.result };
  return action.run(args, {
    ...place,
    call: "c",
    trace: prepared.trace,
    signal: new AbortController().signal,
  });
}

describe("files", () => {
  it("are written, edited and read back", async () => {
    expect(await use(write, { path: "notes/a.txt", text: "one\ntwo\n" })).toMatchObject({ status: "ok" });
    expect(await use(edit, { path: "notes/a.txt", old: "two", new: "three" })).toMatchObject({
      status: "ok",
    });
    expect(await use(read, { path: "notes/a.txt" })).toEqual({
      status: "ok",
      result: "     1\tone\n     2\tthree\n",
    });
    expect(await readdir(join(workspace, "notes"))).toEqual(["a.txt"]);
  });

  it("have names no longer than a system takes", () => {
    for (const tool of [read, write, edit, search]) {
      const parsed = tool.args.safeParse({ path: "a/".repeat(3000) });
      expect(parsed.error?.issues.map(({ path, code }) => `${path.join()} ${code}`)).toContain(
        "path too_big",
      );
    }
  });

  it("that something else changed while their edit was written are left as they are", async () => {
    const call = { session: "ses_1", call: "c", workspace, hidden };
    await writeFile(join(workspace, "f"), "as someone left it");
    for (const read of ["as it was when read", "as someone leaf it"])
      await expect(replaceInside(call, "f", "edited", { over: read })).rejects.toThrow(Changed);
    expect(await readFile(join(workspace, "f"), "utf8")).toBe("as someone left it");
    expect(await readdir(workspace)).toEqual(["f"]);
    await replaceInside(call, "f", "edited", { over: "as someone left it" });
    expect(await readFile(join(workspace, "f"), "utf8")).toBe("edited");
  });

  it("keep their mode when they are replaced", async () => {
    await writeFile(join(workspace, "run.sh"), "echo a");
    await chmod(join(workspace, "run.sh"), 0o755);
    await use(edit, { path: "run.sh", old: "a", new: "b" });
    expect((await stat(join(workspace, "run.sh"))).mode & 0o777).toBe(0o755);
    await chmod(join(workspace, "run.sh"), 0o666); // which no file has that is made anew
    await use(write, { path: "run.sh", text: "c" });
    expect((await stat(join(workspace, "run.sh"))).mode & 0o777).toBe(0o666);
  });

  it("that can't be used say why, and never fail the tool itself", async () => {
    const long = "x".repeat(300);
    for (const outcome of [
      await use(read, { path: long }),
      await use(write, { path: long, text: "x" }),
      await use(edit, { path: long, old: "a", new: "b" }),
    ])
      expect(outcome).toEqual({ status: "error", result: `${long} can't be used: name too long` });
    const listening = createServer().listen(join(workspace, "socket"));
    await once(listening, "listening");
    for (const outcome of [
      await use(read, { path: "socket" }),
      await use(write, { path: "socket", text: "x" }),
      await use(edit, { path: "socket", old: "a", new: "b" }),
    ])
      expect(outcome).toEqual({ status: "error", result: "socket is not a file" });
    listening.close();
  });

  it.skipIf(process.platform !== "linux")("that have no end are read no further than others", async () => {
    workspace = `/proc/${process.pid}`; // of gigabytes, by its size of none
    expect(await use(read, { path: "pagemap" })).toMatchObject({ status: "error" });
    expect(process.memoryUsage().rss).toBeLessThan(2 ** 30);
  });

  it.skipIf(process.platform !== "linux")("behind a link that leads out are not even opened", async () => {
    const pipe = join(base, "pipe");
    execFileSync("mkfifo", [pipe]);
    await symlink(pipe, join(workspace, "link"));
    const writer = spawn("sh", ["-c", 'echo begun; printf hello > "$0"', pipe], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(writer.stdout, "data");
    // Once it waits for a reader, to be opened and closed again would be the end of what it writes.
    for (let n = 0; n < 200; n++) await use(read, { path: "link" });
    expect(await readFile(pipe, "utf8")).toBe("hello");
  });

  it("are paged by lines, with how to read on", async () => {
    await writeFile(
      join(workspace, "long"),
      Array.from({ length: 50 }, (_, n) => `line ${n + 1}`).join("\n"),
    );
    const page = await use(read, { path: "long", offset: 10, limit: 2 });
    expect(page.result).toBe("    10\tline 10\n    11\tline 11\n[39 more lines: read on with offset 12]");
    expect(await use(read, { path: "long", offset: 51 })).toEqual({
      status: "error",
      result: "long has only 50 lines",
    });
  });

  it.each([
    ["..", "../secret"],
    ["an absolute path", "/etc/hostname"],
    ["a path that comes back", "x/../../secret"],
    ["a NUL", "a\0b"],
  ])("outside are refused: %s", async (_, path) => {
    for (const outcome of [
      await use(read, { path }),
      await use(write, { path, text: "x" }),
      await use(edit, { path, old: "not", new: "now" }),
    ])
      expect(outcome.status).toBe("error");
    expect(await readFile(join(base, "secret"), "utf8")).toBe("not yours");
  });

  it("behind a symbolic link that leads out are refused, for reading and writing, as a file and as a directory", async () => {
    await symlink(join(base, "secret"), join(workspace, "link"));
    await symlink(base, join(workspace, "up"));
    for (const path of ["link", "up/secret"]) {
      expect(await use(read, { path })).toMatchObject({ status: "error" });
      expect(await use(write, { path, text: "mine" })).toMatchObject({ status: "error" });
    }
    expect(await readFile(join(base, "secret"), "utf8")).toBe("not yours");
    expect(await readdir(base)).toEqual(["secret", "work"]);
  });

  it("in directories that are not there yet make none behind a link that leads out, or that leads nowhere", async () => {
    await mkdir(join(base, "elsewhere"));
    await symlink(join(base, "elsewhere"), join(workspace, "out"));
    await symlink(join(base, "nowhere"), join(workspace, "dangling"));
    for (const path of ["out/new/deep/x.txt", "dangling/x.txt", "dangling/new/x.txt"])
      expect(await use(write, { path, text: "mine" })).toMatchObject({ status: "error" });
    expect(await readdir(join(base, "elsewhere"))).toEqual([]);
    expect(await readdir(base)).toEqual(["elsewhere", "secret", "work"]);
    await mkdir(join(workspace, "real"));
    await symlink("real", join(workspace, "in"));
    expect(await use(write, { path: "in/new/deep/x.txt", text: "mine" })).toMatchObject({ status: "ok" });
    expect(await readFile(join(workspace, "real/new/deep/x.txt"), "utf8")).toBe("mine");
  });

  it("of Holdfast itself are out of reach where its directory lies inside the workspace, by whatever name", async () => {
    hidden = join(workspace, "deep/.holdfast");
    await mkdir(hidden, { recursive: true });
    await writeFile(join(hidden, "token"), "not yours");
    await symlink("deep", join(workspace, "way"));
    await symlink("deep/.holdfast/token", join(workspace, "link"));
    for (const path of ["deep/.holdfast/token", "way/.holdfast/token", "link", join(hidden, "token")]) {
      expect((await use(read, { path })).result).toContain("is Holdfast's own");
      expect((await use(edit, { path, old: "not", new: "now" })).result).toContain("is Holdfast's own");
      expect(await use(write, { path, text: "mine" })).toMatchObject({ status: "error" });
    }
    for (const path of ["deep/.holdfast/new/x", "way/.holdfast/x"])
      expect((await use(write, { path, text: "mine" })).result).toContain("is Holdfast's own");
    expect(await readFile(join(hidden, "token"), "utf8")).toBe("not yours");
    expect(await readdir(hidden)).toEqual(["token"]);
    expect(await use(write, { path: "deep/.holdfast2", text: "mine" })).toMatchObject({ status: "ok" });
    hidden = workspace;
    expect((await use(read, { path: "deep/.holdfast2" })).result).toContain("is Holdfast's own");
  });

  it("behind a link that is swapped all the while are never read from outside", async () => {
    await mkdir(join(workspace, "in"));
    await writeFile(join(workspace, "in/secret"), "ours");
    const link = join(workspace, "way");
    let swapping = true;
    const swap = (async () => {
      for (let n = 0; swapping && n < 100_000; n++) {
        await rm(link, { force: true });
        await symlink(n % 2 ? base : join(workspace, "in"), link);
      }
    })();
    const seen = new Set<string>();
    for (let n = 0; n < 400; n++) seen.add((await use(read, { path: "way/secret" })).result);
    swapping = false;
    await swap;
    expect([...seen].filter((result) => result.includes("not yours"))).toEqual([]);
  });

  it("that are none say so: a directory, a pipe, a binary, a missing one", async () => {
    await mkdir(join(workspace, "dir"));
    execFileSync("mkfifo", [join(workspace, "pipe")]);
    await writeFile(join(workspace, "bin"), Buffer.from([1, 0, 2]));
    expect((await use(read, { path: "dir" })).result).toContain("not a file");
    expect((await use(read, { path: "pipe" })).result).toContain("not a file");
    expect((await use(read, { path: "bin" })).result).toContain("not a text file");
    expect((await use(read, { path: "none" })).result).toBe("none does not exist");
    expect((await use(write, { path: "dir", text: "x" })).status).toBe("error");
  });
});

it.each<[string, (typeof write | typeof edit) & PlainAction<never>, object]>([
  ["a write", write as never, { path: "f", text: "mine" }],
  ["an edit", edit as never, { path: "f", old: "same", new: "mine" }],
])("%s that was begun in one workspace is not gone on with in another", async (_, tool, args) => {
  const elsewhere = join(base, "elsewhere");
  await mkdir(elsewhere);
  for (const folder of [workspace, elsewhere]) await writeFile(join(folder, "f"), "same");
  const place = { session: "ses_1", workspace, hidden };
  const prepared = await tool.prepare!(args as never, place);
  const call = {
    ...place,
    call: "c",
    trace: prepared.ok && prepared.trace,
    signal: new AbortController().signal,
  };
  const outcome = await tool.run(args as never, { ...call, workspace: elsewhere });
  expect(outcome).toEqual({ status: "error", result: expect.stringContaining("verify") });
  expect(await readFile(join(elsewhere, "f"), "utf8")).toBe("same");
  expect(await tool.run(args as never, call)).toMatchObject({ status: "ok" });
});

describe("an edit", () => {
  it("leaves a file alone that is not UTF-8, of which a read shows what it can and says so", async () => {
    const latin = Buffer.from("caf\xe9\ntwo\n", "latin1");
    await writeFile(join(workspace, "latin"), latin);
    const edited = await use(edit, { path: "latin", old: "two", new: "three" });
    expect(edited).toEqual({ status: "error", result: expect.stringContaining("is not UTF-8") });
    expect(await readFile(join(workspace, "latin"))).toEqual(latin);
    const seen = await use(read, { path: "latin" });
    expect(seen).toEqual({ status: "ok", result: expect.stringContaining("     2\ttwo\n") });
    expect(seen.result).toContain("is not UTF-8");
    await writeFile(join(workspace, "marked"), "\ufeffcafé\ntwo\n"); // a byte order mark is UTF-8, and stays
    await use(edit, { path: "marked", old: "two", new: "three" });
    expect(await readFile(join(workspace, "marked"), "utf8")).toBe("\ufeffcafé\nthree\n");
  });

  it("that ran before a crash is not done again, though its result contains what it replaced", async () => {
    await writeFile(join(workspace, "f"), "a");
    const place = { session: "ses_1", workspace, hidden };
    const plain = edit as typeof edit & PlainAction<{ path: string; old: string; new: string }>;
    const args = { path: "f", old: "a", new: "aa" };
    const prepared = await plain.prepare!(args, place);
    const call = {
      ...place,
      call: "c",
      trace: prepared.ok && prepared.trace,
      signal: new AbortController().signal,
    };
    await plain.run(args, call);
    expect(await plain.run(args, call)).toMatchObject({ status: "ok" });
    expect(await readFile(join(workspace, "f"), "utf8")).toBe("aa");
    await writeFile(join(workspace, "f"), "someone else's");
    expect(await plain.run(args, call)).toMatchObject({ status: "error" });
  });

  it("wants its text exactly once", async () => {
    await writeFile(join(workspace, "f"), "x y x");
    expect((await use(edit, { path: "f", old: "x", new: "z" })).result).toContain("more than once");
    expect((await use(edit, { path: "f", old: "q", new: "z" })).result).toContain("does not contain");
  });
});
