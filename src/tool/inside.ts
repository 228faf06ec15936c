// Files stay inside the workspace: by what was really opened, not by what a path looked like a moment before. A path is
// opened first and judged by where its descriptor leads, so that no symbolic link can be swapped in between.
import { constants } from "node:fs";
import { mkdir, open, realpath, rename, unlink, type FileHandle } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { randomUUID } from "node:crypto";

/** The path leads out of the workspace, or is none. Its message is what the model is told. */
export class Outside extends Error {}

/** So often a file may be replaced while it is being opened. */
const OPENS_MAX = 50;

/** Opens for reading. The caller closes it. */
export async function openInside(workspace: string, path: string): Promise<FileHandle> {
  for (let opens = 1; ; opens++) {
    const file = await open(within(workspace, path), constants.O_RDONLY | constants.O_NONBLOCK); // a FIFO must not hold us
    try {
      await mustBeInside(workspace, path, await pathOf(file, within(workspace, path)));
      if (!(await file.stat()).isFile()) throw new Outside(`${path} is not a file`);
      return file;
    } catch (error) {
      await file.close();
      // What was opened has no name any more, so it can't be judged: what has taken its place can.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || opens === OPENS_MAX) throw error;
    }
  }
}

/** Where a path really leads, whether or not the end of it is there. For names, not for judging what was opened. */
export async function realTarget(workspace: string, path: string): Promise<string> {
  const rest: string[] = [];
  for (let at = resolve(workspace, path); ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return join(real, ...rest);
    if (at === dirname(at)) return join(at, ...rest);
    rest.unshift(basename(at));
  }
}

/** Replaces the file whole or not at all, in a directory that was opened and judged. */
export async function replaceInside(
  workspace: string,
  path: string,
  text: string,
  { makesFolder = false } = {},
): Promise<void> {
  const target = within(workspace, path);
  const folder = await openFolder(workspace, path, makesFolder);
  try {
    const at = await doorOf(folder, dirname(target));
    const mode = await modeOf(join(at, basename(target)), path);
    const draft = join(at, `.${basename(target)}.${randomUUID().slice(0, 8)}`);
    const file = await open(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      mode,
    );
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(at, basename(target))).catch(async (error: unknown) => {
      await unlink(draft);
      throw error;
    });
    await folder.sync(); // what the log says was written is still there after a loss of power
  } finally {
    await folder.close();
  }
}

/** The directory of a file. One that is not there is made in what there is of its path, which was judged before. */
async function openFolder(workspace: string, path: string, isMade: boolean): Promise<FileHandle> {
  const missing: string[] = [];
  let at = dirname(within(workspace, path));
  let folder = await openThere(at, isMade);
  while (!folder) {
    missing.unshift(basename(at));
    at = dirname(at);
    folder = await openThere(at, isMade);
  }
  try {
    await mustBeInside(workspace, path, await pathOf(folder, at));
    for (const name of missing) {
      const parent = folder;
      const child = join(await doorOf(parent, at), name);
      at = join(at, name);
      await mkdir(child).catch(unlessThere);
      await parent.sync();
      folder = await open(child, FOLDER | constants.O_NOFOLLOW); // a link would lead to where nobody has looked
      await parent.close();
    }
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;

/** Undefined when it is not there and need not be. */
async function openThere(path: string, mayMiss: boolean): Promise<FileHandle | undefined> {
  try {
    return await open(path, FOLDER);
  } catch (error) {
    if (mayMiss && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

function within(workspace: string, path: string): string {
  if (path.includes("\0")) throw new Outside("a path can't contain a NUL character");
  const target = isAbsolute(path) ? resolve(path) : resolve(workspace, path);
  if (target !== resolve(workspace) && !target.startsWith(resolve(workspace) + sep))
    throw outside(path, workspace);
  return target;
}

async function mustBeInside(workspace: string, path: string, real: string): Promise<void> {
  const root = await realpath(workspace);
  if (real !== root && !real.startsWith(root + sep)) throw outside(path, workspace);
}

/** Linux tells where a descriptor leads; elsewhere the path is resolved anew, which leaves a moment for a swap. */
async function pathOf(file: FileHandle, path: string): Promise<string> {
  return process.platform === "linux" ? realpath(`/proc/self/fd/${file.fd}`) : realpath(path);
}

/** A path into an open directory, which leads there whatever becomes of its name; where there is none, by its name. */
async function doorOf(folder: FileHandle, path: string): Promise<string> {
  return process.platform === "linux" ? `/proc/self/fd/${folder.fd}` : realpath(path);
}

async function modeOf(file: string, path: string): Promise<number> {
  try {
    const opened = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return (await opened.stat()).mode & 0o777;
    } finally {
      await opened.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0o644;
    if ((error as NodeJS.ErrnoException).code === "ELOOP")
      throw new Outside(`${path} is a symbolic link: name the file itself`);
    throw error;
  }
}

function outside(path: string, workspace: string): Outside {
  return new Outside(`${path} leads out of the workspace ${workspace}`);
}
