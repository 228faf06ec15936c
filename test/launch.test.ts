// The launcher: under an old Node, as most machines have it, it hands over to the packaged one.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "./server-process.ts";

const launcher = fileURLToPath(new URL("../bin/launch.cjs", import.meta.url));
const old = oldNode();

it.skipIf(old === undefined)(
  "a kill -9 of what was started ends the server, also when it handed over (needs an old Node on the PATH)",
  async () => {
    const { started, url } = await start(old!);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    started.kill("SIGKILL");
    await once(started.stdout, "close"); // the server has it too: closed means that both are gone
    await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
  },
);

it.skipIf(process.platform !== "linux")(
  "a server is the very process that was started, with one heap for all of its threads",
  async () => {
    const { started, home } = await start(process.execPath);
    expect(JSON.parse(await readFile(join(home, "server.json"), "utf8"))).toMatchObject({ pid: started.pid });
    const environment = await readFile(`/proc/${started.pid}/environ`, "utf8");
    expect(environment.split("\0")).toContain("MALLOC_ARENA_MAX=1");
  },
);

async function start(node: string) {
  const home = await mkdtemp(join(tmpdir(), "holdfast-launch-"));
  const url = `http://127.0.0.1:${await freePort()}`;
  const env = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    HOLDFAST_HOME: home,
    HOLDFAST_PORT: new URL(url).port,
  };
  const started = spawn(node, [launcher, "serve"], { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    started.kill("SIGKILL");
    await rm(home, { recursive: true });
  });
  await once(started.stdout, "data"); // it prints where it is once it is there
  return { started, home, url };
}

function oldNode(): string | undefined {
  const candidates = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"));
  return candidates.find((node) => {
    try {
      return (
        Number(
          execFileSync(node, ["-p", "process.versions.node.split('.')[0]"], {
            stdio: ["ignore", "pipe", "ignore"],
          }),
        ) < 24
      );
    } catch {
      return false; // no node there
    }
  });
}
