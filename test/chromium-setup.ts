import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import manifest from "../package.json" with { type: "json" };

const folder = fileURLToPath(
  new URL(
    `../node_modules/.cache/holdfast/chromium-${manifest.devDependencies["@sparticuz/chromium"]}`,
    import.meta.url,
  ),
);

/** Unpacks the browser once per version; HOLDFAST_CHROMIUM names another one, such as Debian's. */
export async function setup(project: TestProject): Promise<void> {
  const own = process.env["HOLDFAST_CHROMIUM"];
  if (own === undefined && !existsSync(folder)) await unpack();
  project.provide("chromiumPath", own ?? `${folder}/chromium`);
}

async function unpack(): Promise<void> {
  const script = fileURLToPath(new URL("chromium-unpack.ts", import.meta.url));
  // A session of its own, so that Ctrl-C cannot leave half a browser behind.
  const unpacker = spawn(process.execPath, [script, folder], {
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(unpacker, "exit");
  if (code !== 0) throw new Error(`unpacking Chromium to ${folder} failed`);
}
