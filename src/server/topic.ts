// What a socket can watch beside its sessions: a list that comes whole, then by change.

import type { IncomingHttpHeaders } from "node:http";

export type Watcher = {
  person: string;
  /** What it came with, its credential among them: for what another server is asked on its behalf. */
  headers: IncomingHttpHeaders;
  send(frame: Buffer): void;
};

export interface Topic {
  /** Again for one that watches already: it is given the list anew. */
  watch(watcher: Watcher): Promise<void>;
  leave(watcher: Watcher): void;
  close(): void;
}
