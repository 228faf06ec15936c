// A home that can't be used: every command that needs it says so in one sentence.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { holdfast } from "./holdfast.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-homes-"));
const file = join(folder, "file");
const readOnly = join(folder, "read-only");
writeFileSync(file, "a letter");
mkdirSync(readOnly);
// Root may write wherever the modes forbid it, so that it takes a file system that can't be written to.
const unmountable = mountFailure();

afterAll(() => {
  if (unmountable === undefined) execFileSync("umount", ["-l", readOnly]);
  rmSync(folder, { recursive: true, force: true });
});

const COMMANDS = [["serve"], ["serve", "--port", "0"], ["doctor"], ["backup", join(folder, "b")]];

describe.each([
  ["that is a file", file, "is not a directory"],
  ["below a file", join(file, "home"), "is not a directory"],
])("a home %s", (_, home, says) => {
  it.each([...COMMANDS, ["restore", file]])("is refused in a sentence by %s", (...args) =>
    expectSentence(home, args, says),
  );
});

describe.skipIf(unmountable !== undefined)(`a home that is read-only${unmountable ?? ""}`, () => {
  it.each([...COMMANDS, ["restore", file]])("is refused in a sentence by %s", async (...args) => {
    await expectSentence(readOnly, args, "can't be written to (the file system is read-only)");
    await expectSentence(join(readOnly, "home"), args, "can't be made");
  });
});

describe.skipIf(unmountable !== undefined)(`a home whose files are not ours${unmountable ?? ""}`, () => {
  it.each(["host-id", "holdfast.db"])("is refused in a sentence that names %s", async (name) => {
    const home = mkdtempSync(join(folder, "home-"));
    const kept = join(home, name);
    writeFileSync(kept, "");
    execFileSync("mount", ["--bind", kept, kept]);
    onTestFinished(() => void execFileSync("umount", ["-l", kept]));
    execFileSync("mount", ["-o", "remount,ro,bind", kept]);
    await expectSentence(home, ["serve"], `since ${name} in it can't be read and written`);
    await expectSentence(home, ["backup", join(folder, "b")], "give its files to this user");
  });
});

it("a home where no directory can be made is refused, rather than tried for ever", async () => {
  await expectSentence("/proc/holdfast/home", ["serve"], "can't be made");
});

async function expectSentence(home: string, args: readonly string[], says: string): Promise<void> {
  const { code, err } = await holdfast({ HOLDFAST_HOME: home, HOLDFAST_PORT: "0" }, args);
  expect(err).toContain(`holdfast: ${home}`);
  expect(err).toContain(says);
  expect(err).toContain("HOLDFAST_HOME");
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(code).toBe(1);
}

function mountFailure(): string | undefined {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "ro", "tmpfs", readOnly], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return ` can't be tried here: no tmpfs can be mounted (${String(error).split("\n")[0]})`;
  }
}
