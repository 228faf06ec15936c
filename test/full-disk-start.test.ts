// A server whose disk was filled up while it was down. Only root can mount a small disk to try it on.
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { envOf, holdfast, startHoldfast } from "./holdfast.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

const disk = mkdtempSync(join(tmpdir(), "holdfast-disk-"));
const unmountable = mountFailure();
const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  if (unmountable === undefined) execFileSync("umount", ["-l", disk]);
  rmSync(disk, { recursive: true, force: true });
});

describe.skipIf(unmountable !== undefined)(`a disk that is full at the start${unmountable ?? ""}`, () => {
  it("lets the server start, read and delete, says why it is not ready, and goes on when there is room", async () => {
    const server = await startedOn("one");
    const session = await create(server, "kept");
    const other = await create(server, "to be deleted");
    const ballast = join(server.home, "holdfast.db-ballast");
    await expect.poll(() => existsSync(ballast), { timeout: 10_000 }).toBe(true);
    await server.kill("SIGKILL");
    const filler = fill();

    const running = startHoldfast({ ...envOf(server), HOLDFAST_PORT: new URL(server.url).port }, ["serve"]);
    cleanups.push(() => {
      running.signal("SIGKILL");
      return running.ended;
    });
    await expect.poll(() => running.out, { timeout: 20_000 }).toContain("Not ready: the disk is full");
    expect(existsSync(ballast)).toBe(false);
    const ready = await server.fetch("/readyz");
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ code: "not_ready", detail: expect.stringContaining("full") });
    expect((await server.fetch(`/api/sessions/${session}`)).status).toBe(200);
    const refused = await server.fetch("/api/sessions", jsonPost({ title: "no room" }));
    expect(await refused.json()).toMatchObject({ code: "not_ready", reason: "full" });
    expect((await server.fetch(`/api/sessions/${other}`, { method: "DELETE" })).ok).toBe(true);

    rmSync(filler);
    await expect
      .poll(async () => (await server.fetch("/readyz")).status, { timeout: 30_000, interval: 250 })
      .toBe(200);
    expect(await create(server, "room again")).toBeTypeOf("string");
    expect(running.out + running.err).not.toContain("ENOSPC");
  });

  it("is told in a sentence when nothing was held back", async () => {
    const server = await startedOn("two");
    await create(server, "kept");
    await server.kill("SIGKILL");
    rmSync(join(server.home, "holdfast.db-ballast"), { force: true });
    for (const suffix of ["-shm", "-wal"]) rmSync(join(server.home, `holdfast.db${suffix}`), { force: true });
    const filler = fill();
    const { code, err } = await holdfast({ ...envOf(server), HOLDFAST_PORT: "0" }, ["serve"]);
    rmSync(filler);
    expect(err).toContain(`holdfast: The disk of ${server.home} is full`);
    expect(err).not.toContain("ENOSPC");
    expect(code).toBe(1);
  });
});

async function startedOn(name: string): Promise<ServerProcess> {
  const home = join(disk, name);
  mkdirSync(home);
  const server = await startServer({ home });
  cleanups.push(() => server.kill("SIGKILL"));
  return server;
}

async function create(server: ServerProcess, title: string): Promise<string> {
  const answer = await server.fetch("/api/sessions", jsonPost({ title }));
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}

function jsonPost(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** To the last byte. */
function fill(): string {
  const file = join(disk, "filler");
  const handle = openSync(file, "w");
  for (let size = 1 << 20; size >= 1; size >>= 1)
    try {
      for (;;) writeSync(handle, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  closeSync(handle);
  return file;
}

function mountFailure(): string | undefined {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return ` can't be tried here: no tmpfs can be mounted (${String(error).split("\n")[0]})`;
  }
}
