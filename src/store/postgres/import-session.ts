// Events that come from elsewhere are written in slices: whoever sends them slowly holds no connection. Until the last
// transaction makes a session of them they stand in `purge`, so that a crash leaves nothing behind.
import type { AnyEvent, By, NewEvent } from "../../session/event.ts";
import { prepareBatch } from "../batch.ts";
import { ImportPlan, type ImportEnd, type Slice } from "../import-plan.ts";
import { isSameFile, type ReadableFile } from "../same-file.ts";
import { StorageError, type Command, type Created, type FileInfo, type Importing } from "../store.ts";
import { AsideTexts } from "./aside-texts.ts";
import { putBlob } from "./blob.ts";
import { NOW_MS } from "./clock.ts";
import { once } from "./command.ts";
import type { Context } from "./context.ts";
import { insertSession, madeSession, personOf } from "./create-session.ts";
import type { Transaction } from "./database.ts";
import { purge } from "./delete-session.ts";
import { dropChunks, insertFile, putChunks, readChunks, readFile } from "./file.ts";
import { keepFiles } from "./named-files.ts";
import { FIRST_REV, insertLog, writeEvents } from "./write-events.ts";

/** Longer than any request takes. */
const SILENT_MS = 3_600_000;
const STATEMENT_MS = 120_000;

/** Its bytes lie under a name of their own until the import is finished: two may bring the same file at once. */
type StagedFile = { info: FileInfo; chunks: string };

export async function beginImport(context: Context, id: string): Promise<Importing> {
  const { database, ids, clock, changed } = context;
  const plan = new ImportPlan();
  const files: StagedFile[] = [];
  const asides = new AsideTexts(database); // its own: those of others would have no room beside them
  await database.query({
    text: `insert into purge (log, copying_until) values ($1, ${NOW_MS} + ${SILENT_MS})`,
    values: [id],
  });

  async function write(slice: Slice | undefined): Promise<void> {
    if (!slice) return;
    await database.transaction(async (transaction) => {
      const kept = await transaction.query({
        text: `update purge set copying_until = ${NOW_MS} + ${SILENT_MS}
          where log = $1 and copying_until is not null returning log`,
        values: [id],
      });
      if (kept.length === 0) throw givenUp(id);
      await writeEvents(transaction, id, slice.batch, slice.after.seq, slice.after.sub);
    });
  }

  /** Two facts may refer to one. */
  function stagedFile(file: string): ReadableFile | undefined {
    const staged = files.find(({ info }) => info.file === file);
    return staged && { ...staged.info, read: () => readChunks(database, staged.chunks) };
  }

  return {
    async addEvent(event) {
      // What is none of ours has no text that search finds.
      const whole = await asides.of([event as AnyEvent & NewEvent]);
      await write(plan.take(event, whole));
    },
    async addBlob(bytes) {
      const put = await putBlob(database, id, bytes);
      asides.keep(put.blob, bytes);
      return put;
    },
    async addFile(info, bytes) {
      await keepFiles(context, database, id, [info.file]); // if it is there, so that it stays
      const known = (await readFile(database, info.file)) ?? stagedFile(info.file);
      if (known) return isSameFile(known, info, bytes);
      const chunks = ids.next("fil");
      files.push({ info, chunks });
      const size = await putChunks(context, chunks, bytes, info.bytes);
      if (size === undefined) throw new RangeError(`${info.file} has more than its ${info.bytes} bytes`);
      return true;
    },
    async finish(brought, author, command) {
      await write(plan.rest());
      const now = clock();
      const end = plan.end(brought, new Date(now).toISOString(), author);
      const made = await finishImport(context, { id, end, files, author, now, command });
      if (made.ok && !made.replayed) changed(id, FIRST_REV);
      return made;
    },
    async abandon() {
      const left = await database.query({
        text: "update purge set copying_until = null where log = $1 and copying_until is not null returning log",
        values: [id],
      });
      if (left.length === 0) return; // it is a session
      for (const { chunks } of files) await dropChunks(database, chunks);
      for (const table of ["log_blob", "log_file"])
        await database.query({ text: `delete from ${table} where log = $1`, values: [id] });
      await purge(database, id);
    },
  };
}

type Finishing = {
  id: string;
  end: ImportEnd;
  files: readonly StagedFile[];
  author: By;
  now: number;
  command: Command | undefined;
};

function finishImport({ database, now: decides }: Context, finishing: Finishing): Promise<Created> {
  const { id, end, files, author, now, command } = finishing;
  const { seq, epoch, profile, workspace, row } = end;
  const batch = prepareBatch(end.facts, new Date(now).toISOString(), author);
  return database.transaction(
    (transaction) =>
      once<Created>(transaction, command, async () => {
        if (!(await isWhole(transaction, id, seq))) throw givenUp(id);
        await writeEvents(transaction, id, batch, seq);
        await insertSession(transaction, { id, profile, workspace, row, at: now });
        if (!(await insertLog(transaction, id, "session", { seq: seq + batch.facts, sub: 0, closed: false })))
          return { ok: false, code: "exists" };
        await transaction.query({ text: "update log set epoch = $2 where id = $1", values: [id, epoch] });
        for (const file of files) await openFile(transaction, file, now);
        const names = files.map(({ info }) => info.file);
        await keepFiles({ now: decides }, transaction, id, names);
        return { ok: true, session: await madeSession(transaction, id, personOf(author)) };
      }),
    { repeatable: command !== undefined, statementMs: STATEMENT_MS },
  );
}

/** And from here on no longer something to be purged. */
async function isWhole(transaction: Transaction, id: string, facts: number): Promise<boolean> {
  const kept = await transaction.query({
    text: "delete from purge where log = $1 and copying_until is not null returning log",
    values: [id],
  });
  const [written] = await transaction.query<{ facts: number }>({
    text: "select count(*) as facts from event where log = $1",
    values: [id],
  });
  return kept.length > 0 && written?.facts === facts;
}

async function openFile(transaction: Transaction, { info, chunks }: StagedFile, now: number): Promise<void> {
  const [text, values] = (await insertFile(transaction, info, now))
    ? ["update file_chunk set file = $2 where file = $1", [chunks, info.file]]
    : ["delete from file_chunk where file = $1", [chunks]]; // one that came in the same way meanwhile is the same file
  await transaction.query({ text, values });
}

function givenUp(id: string): StorageError {
  return new StorageError("busy", `the import of ${id} was not heard of for too long: try again`);
}
