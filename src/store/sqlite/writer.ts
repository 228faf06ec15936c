// The writer's thread. It takes all that waits, runs it as one group and answers once the group is on the disk. Only
// while it has nothing to do may somebody else write: lone-writer.ts.
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { Ballast } from "./ballast.ts";
import { Condition } from "./condition.ts";
import { openWriter, type Database } from "./database.ts";
import { failureOf, storageErrorOf, type Failure } from "./failure.ts";
import { storageFault } from "./fault.ts";
import { abandonForks } from "./fork-copy.ts";
import { Group, type Call, type Reply } from "./group.ts";
import { copyJournal } from "./journal.ts";
import { endLeases } from "./lease.ts";
import type { LoneWrites } from "./lone-writer.ts";
import { migrate } from "./migrate.ts";
import { joinNode } from "./overview.ts";
import { verbs, type VerbName } from "./verbs.ts";
import { StorageError, type StoreHealth } from "../store.ts";
import { writingTo, type Writing } from "./writing.ts";

export type WriterData = {
  file: string;
  /** For a store that is new. */
  newStoreId: string;
  self: Parameters<typeof joinNode>[1];
  /** Counts the messages that nothing more will be done about; while the file can't be written to, none of them. */
  handled: Int32Array;
};

/** `last`: nothing more of this tick follows. */
export type Calls = { calls: Call[]; last: boolean; lone?: LoneWrites | undefined; failed?: Failure };
export type ToWriter = Calls | "close";
export type FromWriter =
  | { opened: { store: string; health: StoreHealth } }
  | { notOpened: Failure }
  | { replies: Reply[] }
  | { health: StoreHealth };

/** Enough to share a commit's cost; more would only keep the first of them waiting. */
const GROUP_MAX = 1_000;

/** Verbs, each of which writes a few pages: looking at the journal costs as much as a small append. */
const LOOK_AFTER = 64;

if (!parentPort) throw new Error("writer.ts runs as a worker");
const port = parentPort;
const send = (message: FromWriter) => port.postMessage(message);

const { file, newStoreId, self, handled } = workerData as WriterData; // from writer-thread.ts
const ballast = new Ballast(`${file}-ballast`);
const full = ballast.giveUpToStart();
try {
  const database = openWriter(file);
  migrate(database);
  const writing = writingTo(database);
  const condition = new Condition(database, ballast, (health) => send({ health }));
  const group = new Group({
    writing,
    verbs,
    admit: (verb) => condition.admit(verb),
    failed: (error) => condition.failed(error),
  });
  const store = begin(writing);
  let written = 0;
  let messages = 0;
  /** What the other writer did has to be known before anything else is done. */
  const heed = ({ lone, failed }: Calls) => {
    messages += 1;
    if (failed) condition.failed(storageErrorOf(failed));
    if (!lone) return;
    written += lone.events;
    writing.index.passOver(lone.events);
    writing.logs.overtaken(lone.leases);
    writing.logs.leased(lone.atMs);
  };
  port.on("message", (message: ToWriter) => {
    const taken = takeAll(group, heed, message);
    if (taken === "part") return;
    written += group.size;
    if (group.size > 0) send({ replies: group.commit() });
    const chars = writing.index.takeDue();
    if (chars > 0) sortWordsIn(group, chars);
    if (written >= LOOK_AFTER) {
      written = 0;
      tidyJournal(database, condition);
    }
    if (condition.isWell) {
      Atomics.add(handled, 0, messages);
      messages = 0;
    }
    if (taken === "whole") return;
    condition.close();
    database.close();
    port.close();
  });
  send({ opened: { store, health: full ? { ok: false, reason: full.message } : { ok: true } } });
  if (full) condition.failed(full);
} catch (error) {
  // Without room SQLite can't even share its memory, and calls that a broken disk.
  send({ notOpened: failureOf(full ?? storageFault(error)) });
}

/** What the process before this one left: its leases are over, and its half-made copies are not to be. */
function begin(writing: Writing): string {
  const { database } = writing;
  database.exec("begin immediate");
  database.run("insert or ignore into meta (name, value) values ('store', ?)", newStoreId);
  endLeases(writing);
  abandonForks(writing);
  joinNode(writing, self);
  database.exec("commit");
  const [store] = database.tuple<[string]>("select value from meta where name = 'store'") ?? [newStoreId];
  return store;
}

/** After the answers, which nobody shall wait longer for. What fails is tried again with the next group. */
function sortWordsIn(group: Group, chars: number): void {
  group.add(["sortWords" satisfies VerbName, chars]);
  group.commit();
}

/** On a full disk it waits; a disk that fails over it is not written to any more. */
function tidyJournal(database: Database, condition: Condition): void {
  try {
    copyJournal(database);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    condition.failed(error);
  }
}

/**
 * All that waits becomes one group. `part`: the rest of a tick is still on its way, and will share the commit; what
 * is there already has been carried out meanwhile.
 */
function takeAll(group: Group, heed: (calls: Calls) => void, first: ToWriter): "part" | "whole" | "close" {
  let message: ToWriter | undefined = first;
  while (true) {
    if (message === "close") return "close";
    heed(message);
    for (const call of message.calls) group.add(call);
    if (group.size >= GROUP_MAX) return "whole";
    const next = receiveMessageOnPort(port)?.message as ToWriter | undefined; // from writer-thread.ts
    if (next === undefined) return message.last ? "whole" : "part";
    message = next;
  }
}
