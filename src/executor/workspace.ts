// Where a session works: the directory it was given, its profile's, or one of its own that is made when it is first needed.
import { mkdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

export type Workspace = {
  path: string;
  /** Nobody named it: it is Holdfast's to make. */
  scratch: boolean;
};

export type Worker = { id: string; workspace: string | null };

/** `scratchFolder` is HOLDFAST_HOME/workspaces. */
export function workspaceOf(
  session: Worker,
  ofProfile: string | undefined,
  scratchFolder: string,
): Workspace {
  const named = session.workspace ?? ofProfile;
  if (named === undefined) return { path: join(scratchFolder, session.id), scratch: true };
  return { path: expandHome(named), scratch: false };
}

/** Why it can't be worked in; undefined when it can. */
export async function openWorkspace({ path, scratch }: Workspace): Promise<string | undefined> {
  if (!isAbsolute(path)) return `The workspace "${path}" is not an absolute path.`;
  if (scratch) await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    return found.code === "ENOENT"
      ? `The workspace ${path} does not exist (any more). Nothing was done; a person has to bring it back.`
      : `The workspace ${path} can't be used: ${found.message}`;
  return found.isDirectory() ? undefined : `The workspace ${path} is not a directory.`;
}

function expandHome(path: string): string {
  if (path === "~") return homedir();
  return path.startsWith("~/") ? resolve(homedir(), path.slice(2)) : path;
}
