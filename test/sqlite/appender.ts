// A process that appends until it is killed, saying each acknowledged position on stdout: node appender.ts <file> [writers]
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { makeIds } from "../../src/session/ids.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

const [file = "", writers = "8"] = process.argv.slice(2);
const ids = makeIds(Date.now, randomBytes);
const store = await openSqliteStore({ file, node: ids.next("nod"), host: "child", clock: Date.now, ids });
await store.createSession({ id: "ses_a", profile: "p" }, { person: "owner" });
writeSync(1, "open\n");
await Promise.all(
  Array.from({ length: Number(writers) }, async (_, writer) => {
    for (let n = 0; ; n++) {
      const text = `${writer} ${n} ${"x".repeat(n % 500)}`;
      const appended = await store.append(
        "ses_a",
        [
          { type: "draft", data: { part: `s${writer}.1/0`, kind: "text", offset: n, text: "d" } },
          { type: "notice", data: { level: "info", text } },
        ],
        { by: "client", author: { person: "owner" } },
      );
      if (!appended.ok) throw new Error(appended.code);
      writeSync(1, `${appended.position} ${writer} ${n}\n`); // at once: it must be out before the next line of code
    }
  }),
);
