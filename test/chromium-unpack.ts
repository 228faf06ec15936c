// Unpacks @sparticuz/chromium into the folder named as argument. A process of its own, because the package
// unpacks to TMPDIR and trusts whatever it finds there, of any version and owner.
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const folder = process.argv[2];
if (folder === undefined) throw new Error("chromium-unpack.ts needs the folder to unpack to");
const draft = join(dirname(folder), `.${basename(folder)}-${process.pid}`);
await mkdir(draft, { recursive: true });
process.env["TMPDIR"] = draft;
try {
  const { default: chromium } = await import("@sparticuz/chromium");
  await chromium.executablePath();
  // All at once: whoever sees the folder sees a whole browser.
  await rename(draft, folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error; // another run was first
  });
} finally {
  await rm(draft, { recursive: true, force: true });
}
