// Whether bubblewrap is there and works here: it needs user namespaces, which some systems and containers refuse.
// Asked once, when the server starts.
import { execFile } from "node:child_process";
import { access, constants, lstat, readdir, readlink, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { missing } from "./directory.ts";
import { DISPOSABLE, sandboxed, type Bubblewrap, type Mount, type Sandbox } from "./sandbox.ts";

const run = promisify(execFile);
const PROBE_MAX_MS = 10_000;

/** `hidden` is HOLDFAST_HOME, `path` the PATH to look for bubblewrap on. */
export async function probeSandbox(hidden: string, path: string): Promise<Sandbox> {
  if (process.platform !== "linux") return { kind: "none", reason: "bubblewrap exists for Linux only" };
  const program = await onPath("bwrap", path);
  if (program === undefined)
    return { kind: "none", reason: "bubblewrap is not installed (no bwrap on the PATH)" };
  try {
    const system = await systemMounts();
    if (typeof system === "string") return { kind: "none", reason: system };
    const { stdout } = await run(program, ["--version"], { env: {}, timeout: PROBE_MAX_MS });
    const version = stdout.trim().replace(/^bubblewrap /, "");
    const bubblewrap: Bubblewrap = { kind: "bubblewrap", program, version, system };
    await tryOut(bubblewrap, hidden);
    return bubblewrap;
  } catch (error) {
    return { kind: "none", reason: `${program} does not work here: ${lastWords(error)}` };
  }
}

/** One line for `doctor` and the page. */
export function describeSandbox(sandbox: Sandbox): string {
  return sandbox.kind === "none"
    ? `not sandboxed: ${sandbox.reason}; commands ask for approval, unless their profile has approvals "auto" or "deny"`
    : `bubblewrap ${sandbox.version} (${sandbox.program})`;
}

async function tryOut(bubblewrap: Bubblewrap, hidden: string): Promise<void> {
  const plan = { bubblewrap, workspace: tmpdir(), hidden, network: false };
  const [program = "", ...args] = await sandboxed(["/bin/sh", "-c", ":"], tmpdir(), plan);
  await run(program, args, { env: {}, timeout: PROBE_MAX_MS });
}

const READABLE = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/etc"];

/** A text instead says why not. */
async function systemMounts(): Promise<Mount[] | string> {
  const masks = process.getuid?.() === 0 ? await privateFiles("/etc") : [];
  if (typeof masks === "string") return masks;
  const readable = await Promise.all(READABLE.map(readOnly));
  return [
    ...readable.flat(),
    ...masks,
    { path: "/dev", args: ["--dev", "/dev"] },
    { path: "/proc", args: ["--proc", "/proc"] },
    ...[...DISPOSABLE].map((path): Mount => ({ path, args: ["--tmpfs", path] })),
    ...(await nameServers()),
  ];
}

async function readOnly(path: string): Promise<Mount[]> {
  const entry = await missing(lstat(path));
  if (entry === undefined) return [];
  const args = entry.isSymbolicLink() ? ["--symlink", await readlink(path), path] : ["--ro-bind", path, path];
  return [{ path, args }];
}

/** Often a link into /run, of which nothing else is shown. */
async function nameServers(): Promise<Mount[]> {
  const path = await missing(realpath("/etc/resolv.conf"));
  return path === undefined || READABLE.some((root) => path.startsWith(`${root}/`))
    ? []
    : [{ path, args: ["--ro-bind", path, path] }];
}

const ENTRIES_MAX = 50_000;
const MASKS_MAX = 500;

/** Without capabilities root is still the owner of /etc/shadow: what others may not read is covered. */
async function privateFiles(root: string): Promise<Mount[] | string> {
  const masks: Mount[] = [];
  const folders = [root];
  for (let seen = 0; folders.length > 0;) {
    const folder = folders.pop() ?? root;
    for (const { name } of await readdir(folder, { withFileTypes: true })) {
      if (++seen > ENTRIES_MAX || masks.length > MASKS_MAX)
        return `${root} holds too many files to tell which are private; run Holdfast as another user than root`;
      const path = join(folder, name);
      const entry = await missing(lstat(path));
      if (entry === undefined || entry.isSymbolicLink()) continue;
      const forAll = entry.isDirectory() ? 0o005 : 0o004;
      if ((entry.mode & forAll) === forAll) {
        if (entry.isDirectory()) folders.push(path);
      } else {
        masks.push({
          path,
          args: entry.isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path],
        });
      }
    }
  }
  return masks;
}

async function onPath(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter((entry) => entry.startsWith("/"))) {
    const program = join(folder, name);
    if (await isExecutable(program)) return program;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false; // that is how access says no
  }
}

/** What bubblewrap said, else what became of it. */
function lastWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const said = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
  return said || error.message;
}
