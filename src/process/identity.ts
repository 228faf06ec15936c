// Who a process is: a pid alone is given to another one day, but not with the same start time within one boot.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { readStat } from "./proc-stat.ts";

export type Identity = { boot: string; pid: number; start: string };

const run = promisify(execFile);
let thisBoot: Promise<string> | undefined;

export function bootId(): Promise<string> {
  thisBoot ??=
    process.platform === "linux"
      ? readFile("/proc/sys/kernel/random/boot_id", "utf8").then((text) => text.trim())
      : run("sysctl", ["-n", "kern.bootsessionuuid"]).then(({ stdout }) => stdout.trim());
  return thisBoot;
}

/** A zombie has ended; only nobody has asked how. */
export async function isAlive(identity: Identity): Promise<boolean> {
  if (identity.boot !== (await bootId())) return false;
  if (process.platform !== "linux") return (await startByPs(identity.pid)) === identity.start;
  const stat = await readStat(identity.pid);
  return stat !== undefined && stat.start === identity.start && stat.state !== "Z" && stat.state !== "X";
}

/** As shim.sh writes it, to the letter. */
async function startByPs(pid: number): Promise<string | undefined> {
  const ps = run("ps", ["-o", "lstart=", "-p", String(pid)], {
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
  });
  try {
    return (await ps).stdout.replace(/\n+$/, "").replaceAll(/ +/g, "_");
  } catch {
    return undefined; // ps fails when there is no such process
  }
}
