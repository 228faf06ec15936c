// Commands outlive their server, and so they would outlive a test: what was started under a home ends with it.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Kills the shims of this home with all that descends from them. */
export async function endCommands(home: string): Promise<void> {
  const { stdout } = await run("ps", ["-axww", "-o", "pid=,ppid=,args="], { maxBuffer: 16 * 1024 * 1024 });
  const rows = stdout.split("\n").flatMap((line) => {
    const [, pid, parent, args] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    return args === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
  const ends = new Set(
    rows
      .filter(({ args }) => args.includes("shim.sh run ") && args.includes(`${home}/`))
      .map(({ pid }) => pid),
  );
  // Each round finds one generation more.
  for (let found = -1; found !== ends.size;) {
    found = ends.size;
    for (const { pid, parent } of rows) if (ends.has(parent)) ends.add(pid);
  }
  for (const pid of ends) endProcess(pid);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it ended by itself
  }
}
