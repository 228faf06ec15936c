// Where the tests' browser lies, for tests and for the screenshots alike.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };

/** Our own arguments, never those of @sparticuz/chromium: they switch web security off, and tests of it would lie. */
export const CHROMIUM_ARGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"];

const folder = fileURLToPath(
  new URL(
    `../node_modules/.cache/holdfast/chromium-${manifest.devDependencies["@sparticuz/chromium"]}`,
    import.meta.url,
  ),
);

/** Unpacks the browser once per version; HOLDFAST_CHROMIUM names another one, such as Debian's. */
export async function unpackedChromium(): Promise<string> {
  const own = process.env["HOLDFAST_CHROMIUM"];
  if (own === undefined && !existsSync(folder)) await unpack();
  return own ?? `${folder}/chromium`;
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
