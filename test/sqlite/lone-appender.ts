// A process in which one agent speaks alone, until the disk fails: says each acknowledged position and each failure on
// stdout, and how many of them the writer's thread had no part in. node lone-appender.ts <file>
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { makeIds } from "../../src/session/ids.ts";
import type { NewEvent } from "../../src/session/event.ts";
import { LoneWriter } from "../../src/store/sqlite/lone-writer.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { StorageError } from "../../src/store/store.ts";

const [file = ""] = process.argv.slice(2);
const SPEAKS_EVERY_MS = 10;
const WORDS_MAX = 2_000;

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

for (let offset = 0; offset < WORDS_MAX; offset++) {
  await delay(SPEAKS_EVERY_MS);
  const isSaid = await append({
    type: "draft",
    data: { part: "s1.1/0", kind: "text", offset, text: "d" },
  });
  if (!isSaid) break;
}
await append({ type: "notice", data: { level: "info", text: "by the writer's thread" } });
writeSync(1, `alone ${alone}\n`);
await store.close();

async function append(event: NewEvent): Promise<boolean> {
  try {
    const appended = await store.append("ses_a", [event], { by: "executor", lease });
    if (!appended.ok) throw new Error(appended.code);
    writeSync(1, `${appended.position}\n`);
    return true;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    writeSync(1, `failed ${error.kind} ${JSON.stringify(store.health())}\n`);
    return false;
  }
}
