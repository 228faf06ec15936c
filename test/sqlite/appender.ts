// A process that appends until it is killed or the disk fails, saying each acknowledged position and each failure on
// stdout: node appender.ts <file> [writers]
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { makeIds } from "../../src/session/ids.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { StorageError } from "../../src/store/store.ts";

const [file = "", writers = "8"] = process.argv.slice(2);
const ids = makeIds(Date.now, randomBytes);
const store = await openSqliteStore({ file, node: ids.next("nod"), host: "child", clock: Date.now, ids });
await store.createSession({ id: "ses_a", profile: "p" }, { person: "owner" });
writeSync(1, "open\n");
await Promise.all(
  Array.from({ length: Number(writers) }, async (_, writer) => {
    for (let n = 0; ; n++) {
      try {
        writeSync(1, `${await append(writer, n)} ${writer} ${n}\n`); // at once: out before the next line of code runs
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        writeSync(1, `failed ${error.kind} ${JSON.stringify(store.health())}\n`);
        return;
      }
    }
  }),
);
await append(0, 0).catch((error: StorageError) => {
  writeSync(1, `failed ${error.kind} ${JSON.stringify(store.health())}\n`);
});
await store.close();

async function append(writer: number, n: number): Promise<string> {
  const appended = await store.append(
    "ses_a",
    [
      { type: "draft", data: { part: `s${writer}.1/0`, kind: "text", offset: n, text: "d" } },
      { type: "notice", data: { level: "info", text: `${writer} ${n} ${"x".repeat(n % 500)}` } },
    ],
    { by: "client", author: { person: "owner" } },
  );
  if (!appended.ok) throw new Error(appended.code);
  return appended.position;
}
