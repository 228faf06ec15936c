// A process that writes on both of a store's threads until the disk fails: an agent that speaks alone, and, if asked to,
// facts that are on their way while it speaks. Says each acknowledged position and each failure on stdout, in their order,
// with what the store says of its health, and at last how many drafts the writer's thread had no part in.
// node lone-appender.ts <file> [facts]
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { makeIds } from "../../src/session/ids.ts";
import type { NewEvent } from "../../src/session/event.ts";
import { LoneWriter } from "../../src/store/sqlite/lone-writer.ts";
import { Rest } from "../../src/store/sqlite/rest.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { StorageError } from "../../src/store/store.ts";

const [file = "", facts] = process.argv.slice(2);
const SPEAKS_EVERY_MS = 10;
const WORDS_MAX = 2_000;
/** Enough for the thread to be through with a fact, and less than this process is given. */
const HELD_UP_MS = 20;

Rest.prototype.isOver = () => true; // under strace every disk is slow
let alone = 0;
type Append = (
  this: LoneWriter,
  ...args: Parameters<LoneWriter["append"]>
) => ReturnType<LoneWriter["append"]>;
const { append: written } = LoneWriter.prototype as { append: Append };
LoneWriter.prototype.append = function (...args) {
  const reply = written.apply(this, args);
  if (reply) alone += 1;
  return reply;
};

const ids = makeIds(Date.now, randomBytes);
const store = await openSqliteStore({ file, node: ids.next("nod"), host: "child", clock: Date.now, ids });
await store.createSession({ id: "ses_a", profile: "p" }, { person: "owner" });
const claimed = await store.claimLease("ses_a", 60_000);
if (!claimed.ok) throw new Error(claimed.code);
const { lease } = claimed;

for (let offset = 0, isWell = true; isWell && offset < WORDS_MAX; offset++) {
  await delay(SPEAKS_EVERY_MS);
  const fact = facts ? tell({ type: "notice", data: { level: "info", text: "by the thread" } }) : true;
  if (facts) await holdUp();
  const said = tell({ type: "draft", data: { part: "s1.1/0", kind: "text", offset, text: "d" } });
  isWell = (await fact) && (await said);
}
await tell({ type: "notice", data: { level: "info", text: "by the thread" } });
writeSync(1, `alone ${alone}\n`);
await store.close();

/** Until the fact is done, without a chance for this thread to hear of it. */
async function holdUp(): Promise<void> {
  await new Promise((resolve) => process.nextTick(resolve)); // it is on its way
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HELD_UP_MS);
}

async function tell(event: NewEvent): Promise<boolean> {
  try {
    const appended = await store.append("ses_a", [event], { by: "executor", lease });
    if (!appended.ok) throw new Error(appended.code);
    writeSync(1, `${appended.position} ${JSON.stringify(store.health())}\n`);
    return true;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    writeSync(1, `failed ${error.kind} ${JSON.stringify(store.health())}\n`);
    return false;
  }
}
