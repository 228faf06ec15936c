import { closeSync, fsyncSync, openSync } from "node:fs";

/** So that what was made, renamed or removed in it stays so after a loss of power. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error; // a network's file system may know no such thing
  } finally {
    closeSync(handle);
  }
}
