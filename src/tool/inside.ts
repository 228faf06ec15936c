// Files stay inside the workspace: by what was really found, not by what a path looked like a moment before. A path is found
// first and judged by where its descriptor leads, so that no symbolic link can be swapped in between.
import { constants } from "node:fs";
import { lstat, mkdir, open, realpath, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { createHash } from "node:crypto";
import { failpoint } from "../failpoint.ts";
import { hiddenWords, isHidden, isIn } from "./target.ts";
import type { Call, Place } from "./tool.ts";

/** Who changes a file, and where. */
type Caller = Place & Pick<Call, "call">;

/** The path leads out of the workspace, or is none. Its message is what the model is told. */
export class Outside extends Error {}

/** Something else has changed the file since it was read, which is left as it is. */
export class Changed extends Error {
  constructor(path: string) {
    super(`${path} was changed by something else meanwhile: read it again.`);
  }
}

/** So often a file may be replaced while it is being opened. */
const OPENS_MAX = 50;

/** Opens for reading. The caller closes it. */
export async function openInside(place: Place, path: string): Promise<FileHandle> {
  for (let opens = 1; ; opens++) {
    const found = await open(within(place, path), FIND);
    try {
      await mustBeInside(place, path, await pathOf(found, within(place, path)));
      if (!(await found.stat()).isFile()) throw new Outside(`${path} is not a file`);
      return await open(await doorOf(found, within(place, path)), READ);
    } catch (error) {
      // What was opened has no name any more, so it can't be judged: what has taken its place can.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || opens === OPENS_MAX) throw error;
    } finally {
      await found.close();
    }
  }
}

/** A FIFO must not hold us, nor a terminal become ours. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
/** Linux's O_PATH, which Node has no name for: found without being opened, since to open a device or a FIFO is to act on it. */
const FIND = process.platform === "linux" ? 0o10000000 : READ;

export type Replacing = {
  makesFolder?: boolean;
  /** What is replaced, and nothing else is: looked at last of all, since a file can't be replaced by its content. */
  over?: string;
};

/** Replaces the file whole or not at all, in a directory that was opened and judged. */
export async function replaceInside(
  call: Caller,
  path: string,
  text: string,
  { makesFolder = false, over }: Replacing = {},
): Promise<void> {
  const target = within(call, path);
  const folder = await openFolder(call, path, makesFolder);
  try {
    const at = await doorOf(folder, dirname(target));
    const draft = join(at, draftName(call));
    await rm(draft, { force: true });
    const mode = await modeOf(join(at, basename(target)), path);
    const file = await open(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      mode ?? 0o644,
    );
    try {
      try {
        if (mode !== undefined) await file.chmod(mode); // whatever we take from files that are new
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      failpoint("mid-write");
      if (over !== undefined) await mustHold(join(at, basename(target)), path, over);
      await rename(draft, join(at, basename(target)));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await folder.sync(); // what the log says was written is still there after a loss of power
  } finally {
    await folder.close();
  }
}

/** Takes away what a call left that was killed while it replaced the file. */
export async function clearInside(call: Caller, path: string): Promise<void> {
  try {
    const folder = await openFolder(call, path, false);
    try {
      await rm(join(await doorOf(folder, dirname(within(call, path))), draftName(call)), {
        force: true,
      });
    } finally {
      await folder.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Where it may not write or there is no such place, it has left nothing.
    if (!(error instanceof Outside) && code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
}

/** The same for whoever goes on with the call, and no other's; short, since the file's own name may be as long as can be. */
export function draftName({ session, call }: Pick<Call, "session" | "call">): string {
  return `.holdfast-${createHash("sha256").update(`${session} ${call}`).digest("hex").slice(0, 16)}`;
}

/** The directory of a file. One that is not there is made in what there is of its path, which was judged before. */
async function openFolder(place: Place, path: string, isMade: boolean): Promise<FileHandle> {
  const missing: string[] = [];
  let at = dirname(within(place, path));
  let folder = await openThere(at, isMade);
  while (!folder) {
    missing.unshift(basename(at));
    at = dirname(at);
    folder = await openThere(at, isMade);
  }
  try {
    await mustBeInside(place, path, await pathOf(folder, at));
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

function within({ workspace }: Place, path: string): string {
  if (path.includes("\0")) throw new Outside("a path can't contain a NUL character");
  const target = isAbsolute(path) ? resolve(path) : resolve(workspace, path);
  if (!isIn(resolve(workspace), target)) throw outside(path, workspace);
  return target;
}

async function mustBeInside({ workspace, hidden }: Place, path: string, real: string): Promise<void> {
  const root = await realpath(workspace);
  if (!isIn(root, real)) throw outside(path, workspace);
  const home = await realpath(hidden).catch(() => hidden);
  if (isHidden(home, root, real)) throw new Outside(hiddenWords(path));
}

/** Linux tells where a descriptor leads; elsewhere the path is resolved anew, which leaves a moment for a swap. */
async function pathOf(file: FileHandle, path: string): Promise<string> {
  return process.platform === "linux" ? realpath(`/proc/self/fd/${file.fd}`) : realpath(path);
}

/** A path to what is open, which leads there whatever becomes of its name; where there is none, by its name. */
async function doorOf(file: FileHandle, path: string): Promise<string> {
  return process.platform === "linux" ? `/proc/self/fd/${file.fd}` : realpath(path);
}

async function mustHold(file: string, path: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const opened = await open(file, READ | constants.O_NOFOLLOW);
  try {
    const { size } = await opened.stat(); // of another size it need not be read, however long it is
    if (size !== bytes.length || !(await opened.readFile()).equals(bytes)) throw new Changed(path);
  } finally {
    await opened.close();
  }
}

/** Of the file that is replaced, if there is one. */
async function modeOf(file: string, path: string): Promise<number | undefined> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!found) return undefined;
  if (found.isSymbolicLink()) throw new Outside(`${path} is a symbolic link: name the file itself`);
  if (!found.isFile()) throw new Outside(`${path} is ${found.isDirectory() ? "a directory" : "not a file"}`);
  return found.mode & 0o777;
}

function outside(path: string, workspace: string): Outside {
  return new Outside(`${path} leads out of the workspace ${workspace}`);
}
