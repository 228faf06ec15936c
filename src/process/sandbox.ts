// A command behind bubblewrap: it sees the system read-only, its workspace, and nothing else; it has no capabilities,
// a process table of its own, and dies with its shim. The environment is not set here: bubblewrap's own can be read
// inside at /proc/1/environ, so shim and bubblewrap are started with what the command may have and no more.
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { missing } from "./directory.ts";

export type Sandbox = Bubblewrap | { kind: "none"; reason: string };

export type Bubblewrap = {
  kind: "bubblewrap";
  program: string;
  version: string;
  /** What every command sees of the system. */
  system: readonly Mount[];
};

/** Laid over each other from the root downwards. */
export type Mount = { path: string; args: readonly string[] };

export type SandboxPlan = {
  bubblewrap: Bubblewrap;
  /** Writable, as are `writable` ones (the repository that a worktree belongs to, say). */
  workspace: string;
  writable?: readonly string[];
  readable?: readonly string[];
  /** HOLDFAST_HOME: never visible, even inside the workspace. Before the first start there is none, and nothing to hide. */
  hidden: string;
  network: boolean;
};

/** In what a profile asks for, `auto` takes what there is; without a sandbox the caller must ask a person. */
export function sandboxFor(
  wanted: "auto" | "bubblewrap" | "none",
  probed: Sandbox,
): Sandbox | { kind: "refused"; reason: string } {
  if (wanted === "none") return { kind: "none", reason: 'the profile says sandbox = "none"' };
  if (wanted === "bubblewrap" && probed.kind === "none")
    return { kind: "refused", reason: `the profile wants bubblewrap: ${probed.reason}` };
  return probed;
}

/** Why this plan would be no sandbox; undefined when it is one. */
export async function planFault(plan: SandboxPlan): Promise<string | undefined> {
  const workspace = await missing(realpath(plan.workspace));
  if (workspace === undefined) return `the workspace ${plan.workspace} does not exist`;
  if (
    workspace === "/" ||
    plan.bubblewrap.system.some(({ path }) => path === workspace && !DISPOSABLE.has(path))
  )
    return `the workspace ${workspace} is a part of the system, which must not be writable`;
  if (workspace === (await missing(realpath(plan.hidden))))
    return `the workspace ${workspace} is Holdfast's own directory`;
  return undefined;
}

export async function sandboxed(argv: readonly string[], cwd: string, plan: SandboxPlan): Promise<string[]> {
  const mounts = overlaid([...plan.bubblewrap.system, ...(await placesOf(plan))]);
  return [
    plan.bubblewrap.program,
    ...WALLS,
    ...(plan.network ? [] : ["--unshare-net"]),
    ...mounts.flatMap(({ args }) => args),
    "--remount-ro", // the empty directory that holds them all
    "/",
    "--unsetenv",
    "TMPDIR", // /tmp is the one that is there
    "--chdir",
    await realpath(cwd),
    "--",
    ...argv,
  ];
}

/** Fresh and empty for every command, so a workspace may take their place. */
export const DISPOSABLE: ReadonlySet<string> = new Set(["/tmp", "/var/tmp", "/run"]);

// Without --cap-drop ALL a command of root's remounts the read-only root and writes to the host.
const WALLS = [
  "--unshare-user",
  "--disable-userns",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--cap-drop",
  "ALL",
  "--new-session",
  "--die-with-parent",
];

/** Real paths: a link must not show under one name what is hidden under another. */
async function placesOf(plan: SandboxPlan): Promise<Mount[]> {
  const at = async (paths: readonly string[], args: (path: string) => string[]) => {
    const real = await Promise.all(paths.map((path) => realpath(path)));
    return real.map((path): Mount => ({ path, args: args(path) }));
  };
  const home = await missing(realpath(homedir()));
  const hidden = await missing(realpath(plan.hidden));
  return [
    ...(await at(home === undefined || home === "/" ? [] : [home], (path) => ["--tmpfs", path])),
    ...(await at(hidden === undefined ? [] : [hidden], (path) => ["--tmpfs", path])),
    ...(await at(plan.readable ?? [], (path) => ["--ro-bind", path, path])),
    ...(await at([plan.workspace, ...(plan.writable ?? [])], (path) => ["--bind", path, path])),
  ];
}

/** The shallower first, so that none covers what lies in it; of two at one path the later. */
function overlaid(mounts: readonly Mount[]): Mount[] {
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]));
  return [...byPath.values()].toSorted((a, b) => depth(a.path) - depth(b.path));
}

function depth(path: string): number {
  return path.split("/").length;
}
