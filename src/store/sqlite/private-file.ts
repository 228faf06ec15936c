import { closeSync, openSync } from "node:fs";

/** Makes a file that only its owner can read, for SQLite to fill: what people say to their agents is in it. */
export function makePrivate(file: string): void {
  closeSync(openSync(file, "a", 0o600));
}
