// The one place that says which version this is.
import { readFileSync } from "node:fs";

export const VERSION = versionOf(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

function versionOf(packageText: string): string {
  const { version } = JSON.parse(packageText) as { version?: unknown }; // our own package.json
  if (typeof version !== "string") throw new Error("package.json has no version");
  return version;
}
