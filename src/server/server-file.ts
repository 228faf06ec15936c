// server.json: where the running server is reached, for the command line on this machine.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writePrivately } from "./cli-token.ts";

export type ServerFile = { url: string; pid: number; version: string; store: string };

export function writeServerFile(home: string, server: ServerFile): Promise<void> {
  return writePrivately(fileIn(home), `${JSON.stringify(server)}\n`);
}

/** Unless another server has taken the place meanwhile. */
export function removeServerFile(home: string, pid: number): void {
  try {
    const { pid: writer } = JSON.parse(readFileSync(fileIn(home), "utf8")) as Partial<ServerFile>;
    if (writer === pid) rmSync(fileIn(home));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function fileIn(home: string): string {
  return join(home, "server.json");
}
