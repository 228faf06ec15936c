// HOLDFAST_HOME before anything is put into it: whatever keeps it from being used is said in one sentence.
import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "./store/sqlite/sync-folder.ts";

/** Why it can't be used, or could not be made; undefined when it can. Makes nothing. */
export function homeFault(home: string): string | undefined {
  const found = nearest(home);
  if (typeof found === "string") return found;
  const { folder, missing } = found;
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return missing.length === 0 ? fileFault(home) : undefined;
  } catch (error) {
    return missing.length === 0
      ? `${home} can't be written to (${reasonOf(error)}): make it writable for this user, or ${NAME_ANOTHER}`
      : `${home} can't be made, since ${folder} can't be written to (${reasonOf(error)}): ${MAKE_OR_NAME}`;
  }
}

/** Makes it where it is not there, for its owner's eyes only. */
export function makeHome(home: string): string | undefined {
  const fault = homeFault(home);
  if (fault !== undefined) return fault;
  const found = nearest(home);
  if (typeof found === "string") return found;
  try {
    // One by one: told to make them all, Node tries for ever in a file system that makes none, as /proc.
    for (const folder of found.missing) {
      mkdirSync(folder, { mode: 0o700 });
      syncFolder(dirname(folder)); // what will be promised to be in it must not be lost with its name
    }
    return undefined;
  } catch (error) {
    return `${home} can't be made (${reasonOf(error)}): ${MAKE_OR_NAME}`;
  }
}

/** What a server writes from its start on. */
const FILES = [
  ...["", "-wal", "-shm", "-owner", "-owner.json", "-ballast"].map((end) => `holdfast.db${end}`),
  "host-id",
  "cli-token",
];

/** As after a start as another user, with sudo for one. */
function fileFault(home: string): string | undefined {
  for (const name of FILES)
    try {
      accessSync(join(home, name), constants.R_OK | constants.W_OK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      return `${home} can't be used, since ${name} in it can't be read and written (${reasonOf(error)}): give its files to this user, or ${NAME_ANOTHER}`;
    }
  return undefined;
}

const NAME_ANOTHER = "name another directory with HOLDFAST_HOME";
const MAKE_OR_NAME = `make it yourself, or ${NAME_ANOTHER}`;

/** The folder itself or the nearest above it that is there, and what is missing below that, outermost first. */
function nearest(home: string): { folder: string; missing: string[] } | string {
  const missing: string[] = [];
  for (let folder = home; ; folder = dirname(folder)) {
    try {
      const found = statSync(folder);
      if (found.isDirectory()) return { folder, missing };
      return missing.length === 0
        ? `${home} is not a directory: move it away, or ${NAME_ANOTHER}`
        : `${home} can't be made, since ${folder} is not a directory: ${NAME_ANOTHER}`;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isMissing = code === "ENOENT" || code === "ENOTDIR";
      if (!isMissing || folder === dirname(folder))
        return `${home} can't be looked into (${reasonOf(error)}): make it readable for this user, or ${NAME_ANOTHER}`;
      missing.unshift(folder);
    }
  }
}

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  ENOENT: "nothing can be made there",
};

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ""] ?? message;
}
