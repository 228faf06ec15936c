// The writer's thread: the only connection that writes. It takes all that waits, runs it as one group and answers
// once the group is on the disk.
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { Ballast } from "./ballast.ts";
import { Condition } from "./condition.ts";
import { openWriter } from "./database.ts";
import { failureOf, type Failure } from "./failure.ts";
import { storageFault } from "./fault.ts";
import { abandonForks } from "./fork-copy.ts";
import { Group, type Call, type Reply } from "./group.ts";
import { endLeases } from "./lease.ts";
import { Logs } from "./logs.ts";
import { migrate } from "./migrate.ts";
import { joinNode } from "./overview.ts";
import { verbs } from "./verbs.ts";
import type { StoreHealth } from "../store.ts";
import type { Writing } from "./writing.ts";

export type WriterData = {
  file: string;
  /** For a store that is new. */
  newStoreId: string;
  self: Parameters<typeof joinNode>[1];
};

/** `last`: nothing more of this tick follows. */
export type ToWriter = { calls: Call[]; last: boolean } | "close";
export type FromWriter =
  | { opened: { store: string } }
  | { notOpened: Failure }
  | { replies: Reply[] }
  | { health: StoreHealth };

/** Enough to share a commit's cost; more would only keep the first of them waiting. */
const GROUP_MAX = 1_000;
/** How long the rest of a tick is waited for. */
const REST_MS = 1;

if (!parentPort) throw new Error("writer.ts runs as a worker");
const port = parentPort;
const send = (message: FromWriter) => port.postMessage(message);

try {
  const { file, newStoreId, self } = workerData as WriterData; // from writer-thread.ts
  const database = openWriter(file);
  migrate(database);
  const writing: Writing = { database, logs: new Logs(database) };
  const condition = new Condition(database, new Ballast(`${file}-ballast`), (health) => send({ health }));
  const group = new Group({
    writing,
    verbs,
    admit: (verb) => condition.admit(verb),
    failed: (error) => condition.failed(error),
  });
  const store = begin(writing, newStoreId, self);
  port.on("message", (message: ToWriter) => {
    let next: ToWriter | undefined = message;
    while (next !== undefined && next !== "close") next = runGroup(group, next);
    if (next !== "close") return;
    condition.close();
    database.close();
    port.close();
  });
  send({ opened: { store } });
} catch (error) {
  send({ notOpened: failureOf(storageFault(error)) });
}

/** What the process before this one left: its leases are over, and its half-made copies are not to be. */
function begin(writing: Writing, newStoreId: string, self: WriterData["self"]): string {
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

/** Verbs run while the main thread is still sending the rest of its tick. Gives what does not belong to the group. */
function runGroup(group: Group, first: Exclude<ToWriter, "close">): ToWriter | undefined {
  let message: ToWriter | undefined = first;
  let until = performance.now() + REST_MS;
  let last = false;
  while (true) {
    if (message === "close") break;
    if (message) {
      for (const call of message.calls) group.add(call);
      last = message.last;
      until = performance.now() + REST_MS;
    }
    if (group.size >= GROUP_MAX) {
      message = undefined;
      break;
    }
    message = receiveMessageOnPort(port)?.message as ToWriter | undefined;
    if (!message && (last || performance.now() > until)) break;
  }
  send({ replies: group.commit() });
  return message;
}
