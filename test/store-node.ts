// A node on a PostgreSQL store as a process of its own, so that a test can kill or stop it. It claims the lease of the
// session that it is told, says so, and then tries what it is asked on stdin: append, renew, release. Each answer is a
// line of JSON.
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { makeIds } from "../src/session/ids.ts";
import { openPostgresStore } from "../src/store/postgres/store.ts";

const [database = "", node = "", session = "", ttlMs = ""] = process.argv.slice(2);
const store = await openPostgresStore({
  database,
  node,
  host: "test-host",
  clock: Date.now,
  ids: makeIds(Date.now, randomBytes),
});
const claimed = await store.claimLease(session, Number(ttlMs));
console.log(JSON.stringify(claimed));
if (!claimed.ok) process.exit(1);
const { lease } = claimed;

for await (const command of createInterface({ input: process.stdin })) {
  const notice = { type: "notice", data: { level: "info", text: `from ${node}` } } as const;
  if (command === "append") tell(await store.append(session, [notice], { by: "executor", lease }));
  if (command === "renew") tell(await store.renewLease(lease));
  if (command === "release") tell(await store.releaseLease(lease));
}
await store.close();

function tell(answer: object): void {
  console.log(JSON.stringify(answer));
}
