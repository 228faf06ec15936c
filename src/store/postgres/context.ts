// What the verbs of one open store share.
import type { Ids } from "../../session/ids.ts";
import type { LogId, NodeId } from "../store.ts";
import type { AsideTexts } from "./aside-texts.ts";
import type { Database } from "./database.ts";
import type { LeaseClock } from "./lease-clock.ts";

export type Context = {
  database: Database;
  asides: AsideTexts;
  node: NodeId;
  /** The machine that this node is on. */
  host: string;
  ids: Ids;
  /** The node's own clock: what events and rows are stamped with. */
  clock: () => number;
  /** The time that decides, where a test owns it; null leaves it to the database. */
  now: () => number | null;
  leaseClock: LeaseClock;
  /** Whether a node whose lock is free is gone: not while it may still be on its way back to a server that went away. */
  trustsLocks: () => boolean;
  /** After the commit: wakes whoever waits for this log, here and on other nodes. `rev` is what its row has now. */
  changed: (log: LogId, rev: number) => void;
  /** After the commit: closes what this token or login has open, here and on other nodes. */
  revoked: (id: string) => void;
};
