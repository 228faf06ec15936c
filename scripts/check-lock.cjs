"use strict";
// npm drops another platform's binary from the lockfile without a word when the registry at hand lacks it,
// and `npm ci` then fails on that platform only. It also writes down which registry was at hand.
const { packages } = require("../package-lock.json");

const faults = [];
for (const [at, entry] of Object.entries(packages)) {
  for (const name of Object.keys(entry.optionalDependencies ?? {})) {
    if (!isLocked(at, name)) faults.push(`${at || "package.json"}: optional ${name} is not in the lockfile`);
  }
  if (/^https?:/.test(entry.resolved ?? "")) faults.push(`${at}: names a registry (${entry.resolved})`);
  if (at.startsWith("node_modules/") && !entry.link && !entry.integrity)
    faults.push(`${at}: has no integrity`);
}
if (Object.keys(packages).length < 2) faults.push("package-lock.json: holds no packages");

for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(
    "package-lock.json is incomplete: pin a version that has every platform's binaries, and keep .npmrc",
  );
  process.exitCode = 1;
}

/** Resolves like Node: in the package's own node_modules, then in each folder above. */
function isLocked(at, name) {
  for (let from = at; ; from = from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/")))) {
    if (packages[`${from ? `${from}/` : ""}node_modules/${name}`]) return true;
    if (from === "") return false;
  }
}
