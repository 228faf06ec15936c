// What a socket can watch beside its sessions: a list that comes whole, then by change.

export type Watcher = {
  person: string;
  send(frame: Buffer): void;
};

export interface Topic {
  /** Again for one that watches already: it is given the list anew. */
  watch(watcher: Watcher): Promise<void>;
  leave(watcher: Watcher): void;
  close(): void;
}
