// What a process costs, seen from outside: the asking costs it nothing, and all of its threads count.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

const SAMPLE_MS = 200;

export type Cost = { cpuMs: number; peakMb: number };

/** From now until it is asked for. */
export async function costOf(pid: number): Promise<() => Promise<Cost>> {
  const from = await cpuMs(pid);
  let peakMb = await residentMb(pid);
  let sampling: Promise<void> | undefined;
  const timer = setInterval(() => {
    sampling ??= residentMb(pid)
      .then((mb) => void (peakMb = Math.max(peakMb, mb)))
      .finally(() => (sampling = undefined));
  }, SAMPLE_MS);
  return async () => {
    clearInterval(timer);
    await sampling;
    return { cpuMs: (await cpuMs(pid)) - from, peakMb: Math.max(peakMb, await residentMb(pid)) };
  };
}

/** User and system time. Linux tells it by nanoseconds for each thread; elsewhere `ps` knows it by hundredths of a second. */
async function cpuMs(pid: number): Promise<number> {
  if (process.platform !== "linux") return psTimeMs(await ps(pid, "time="));
  const threads = await readdir(`/proc/${pid}/task`);
  const spent = await Promise.all(
    threads.map(async (thread) => {
      const [onCpuNs = "0"] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8")).split(" ");
      return Number(onCpuNs) / 1e6;
    }),
  );
  return spent.reduce((sum, ms) => sum + ms, 0);
}

async function residentMb(pid: number): Promise<number> {
  if (process.platform !== "linux") return (Number(await ps(pid, "rss=")) * 1024) / 1e6;
  const [, kb = "0"] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kb) * 1024) / 1e6;
}

async function ps(pid: number, what: string): Promise<string> {
  const { stdout } = await promisify(execFile)("ps", ["-o", what, "-p", String(pid)]);
  return stdout.trim();
}

/** `[[hours:]minutes:]seconds.hundredths` */
function psTimeMs(text: string): number {
  return text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
}
