// What is done to a disk while the power may fail, as a process that is traced: node writer.ts <what> <home>. Each
// thing that somebody may rely on is said on stdout, as a line of JSON, the moment it is promised.
import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { makeHome } from "../../src/home.ts";
import { commitSpec, makeDirectory } from "../../src/process/directory.ts";
import { makeIds } from "../../src/session/ids.ts";
import { restoreSqlite } from "../../src/store/sqlite/restore.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";

export type Promised =
  | { fact: string; session: string; position: string }
  | { blob: string }
  | { file: string; sha256: string }
  | { deleted: string }
  | { backup: true }
  | { restoring: true }
  | { restored: true }
  | { command: string };

const WRITERS = 4;
const LIVES = 3;
/** More than SQLite lets its log grow to before it carries the pages over. */
const BYTES_EACH_LIFE = 5_000_000;
const BLOB_BYTES = 300_000;

const VERBS: Record<string, (home: string) => Promise<void>> = { work, restore, backUp, command };
const ids = makeIds(Date.now, randomBytes);
const owner = { person: "owner" };

if (import.meta.main) {
  const [what = "", home = ""] = process.argv.slice(2);
  const fault = makeHome(home);
  if (fault !== undefined) throw new Error(fault);
  const verb = VERBS[what];
  if (!verb) throw new Error(`there is no ${what}`);
  await verb(home);
}

/** A store's life, three times over: what it closes and opens again is made and removed beside it. */
async function work(home: string): Promise<void> {
  for (let life = 1; life <= LIVES; life++) {
    const store = await open(home);
    const sessions = Array.from({ length: WRITERS }, (_, n) => `ses_${life}_${n}`);
    for (const id of sessions) await store.createSession({ id, profile: "p" }, owner);
    await Promise.all([
      ...sessions.map((id, n) => write(store, id, life === LIVES ? 2_000 : 4_000 * (n + 1))),
      attach(store, `${sessions[0]}`),
    ]);
    const gone = `${sessions[1]}`;
    await store.deleteSession(gone, { force: true });
    promise({ deleted: gone });
    await store.close();
  }
}

/** In the place of a store that was killed: its log still lies beside it. */
async function restore(home: string): Promise<void> {
  spawnSync(process.execPath, [import.meta.filename, "backUp", home], { stdio: "inherit" });
  promise({ restoring: true });
  await restoreSqlite(join(home, "backup.db"), join(home, "holdfast.db"), {
    newStoreId: ids.next("sto"),
    now: Date.now(),
  });
  promise({ restored: true });
  const store = await open(home);
  await write(store, "ses_a", 1_000);
  await store.close();
}

async function backUp(home: string): Promise<void> {
  const store = await open(home);
  await store.createSession({ id: "ses_a", profile: "p" }, owner);
  await write(store, "ses_a", 10_000);
  await store.backup(join(home, "backup.db"));
  promise({ backup: true });
  await store.createSession({ id: "ses_b", profile: "p" }, owner);
  await write(store, "ses_b", 10_000);
  process.kill(process.pid, "SIGKILL");
}

/** Up to where a command may begin. */
async function command(home: string): Promise<void> {
  for (const id of ["prc_a", "prc_b"]) {
    const dir = join(home, "processes", id);
    await makeDirectory(dir);
    await commitSpec(dir, {
      id,
      command: "true",
      cwd: "/",
      stdin: "null",
      sandboxed: false,
      outputMaxBytes: 1024,
      whenFull: "end",
    });
    promise({ command: id });
  }
}

function open(home: string): Promise<Store> {
  const file = join(home, "holdfast.db");
  return openSqliteStore({ file, node: ids.next("nod"), host: "child", clock: Date.now, ids });
}

async function write(store: Store, session: string, textBytes: number): Promise<void> {
  const facts = Math.min(60, BYTES_EACH_LIFE / WRITERS / textBytes);
  for (let n = 0; n < facts; n++) {
    const fact = `${session} ${n} ${"x".repeat(textBytes)}`;
    const appended = await store.append(
      session,
      [
        { type: "draft", data: { part: "s1.1/0", kind: "text", offset: n, text: "d" } },
        { type: "notice", data: { level: "info", text: fact } },
      ],
      { by: "client", author: owner },
    );
    if (!appended.ok) throw new Error(appended.code);
    promise({ fact: `${session} ${n} `, session, position: appended.position });
  }
}

async function attach(store: Store, session: string): Promise<void> {
  const bytes = randomBytes(BLOB_BYTES);
  const { blob } = await store.putBlob(session, bytes);
  promise({ blob });
  const file = ids.next("fil");
  const put = await store.putFile(
    { id: file, name: "a", type: "text/plain" },
    (async function* () {
      yield bytes.subarray(1);
    })(),
    BLOB_BYTES,
  );
  if (!put.ok) throw new Error(put.code);
  promise({ file, sha256: createHash("sha256").update(bytes.subarray(1)).digest("hex") });
}

/** At once: out before the next line of code runs. */
function promise(promised: Promised): void {
  writeSync(1, `${JSON.stringify(promised)}\n`);
}
