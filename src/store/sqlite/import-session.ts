import { prepareBatch } from "../batch.ts";
import { ImportPlan, type Slice } from "../import-plan.ts";
import { isSameFile, type ReadableFile } from "../same-file.ts";
import type { Importing } from "../store.ts";
import { readChunks } from "./blob.ts";
import type { Context } from "./context.ts";
import { personOf } from "./create-session.ts";
import { readFile } from "./file.ts";
import type { StagedFile } from "./import-copy.ts";
import { packBatch } from "./packed-batch.ts";
import { dropPieces, putBlob, putPieces } from "./upload.ts";

/** `purge` takes away what was abandoned. */
export async function beginImport(context: Context, id: string, purge: () => void): Promise<Importing> {
  const { writer, reader, clock, changed } = context;
  const plan = new ImportPlan();
  const files: StagedFile[] = [];
  const { key } = await writer.call("beginCopy");
  let isMade = false;

  async function write(slice: Slice | undefined): Promise<void> {
    if (slice) await writer.call("importEvents", key, packBatch(slice.batch, clock()), slice.after);
  }

  /** Two facts may refer to one. */
  function stagedFile(file: string): ReadableFile | undefined {
    const staged = files.find(({ info }) => info.file === file);
    if (!staged) return undefined;
    return {
      ...staged.info,
      async *read() {
        yield* readChunks(reader, staged.blob);
      },
    };
  }

  return {
    addEvent: (event) => write(plan.take(event)),
    async addBlob(bytes) {
      const info = await putBlob(context, id, bytes);
      await writer.call("keepBlobs", key, [info.blob]);
      return info;
    },
    async addFile(info, bytes) {
      await writer.call("keepFiles", key, [info.file], clock()); // if it is there, so that it stays
      const known = readFile(reader, info.file) ?? stagedFile(info.file);
      if (known) return isSameFile(known, info, bytes);
      const put = await putPieces(context, bytes, info.bytes);
      if (!put) throw new RangeError(`${info.file} has more than its ${info.bytes} bytes`);
      files.push({ info, blob: put.key });
      return true;
    },
    async finish(brought, author, command) {
      await write(plan.rest());
      const now = clock();
      const time = new Date(now).toISOString();
      const { facts, seq, ...end } = plan.end(brought, time, author);
      const batch = packBatch({ ...prepareBatch(facts, time, author), change: undefined }, now);
      const person = personOf(author);
      const made = await writer.call("finishImport", {
        ...end,
        key,
        at: seq,
        id,
        batch,
        files,
        person,
        now,
        command,
      });
      isMade = made.ok && !made.replayed;
      if (isMade) changed(id);
      return made;
    },
    async abandon() {
      if (isMade) return;
      await writer.call("abandonFork", key);
      purge();
      for (const { blob } of files) await dropPieces(context, blob);
    },
  };
}
