import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The page under test is the one in web/ as it is now; does nothing when that is built already. */
export function buildPage(): void {
  const script = fileURLToPath(new URL("../../scripts/build-web.cjs", import.meta.url));
  const built = spawnSync(process.execPath, [script], { stdio: "inherit" });
  if (built.status !== 0) throw new Error("the page could not be built; its message is above");
}
