import { closeSync, fsyncSync, openSync } from "node:fs";

/** So that a rename in it survives a loss of power. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
