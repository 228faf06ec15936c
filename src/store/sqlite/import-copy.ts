// The writer's part of an import: events that come from elsewhere, written like those of a copy (fork-copy.ts).
import type { Command, Created, FileInfo } from "../store.ts";
import { once } from "./command.ts";
import { madeSession } from "./create-session.ts";
import { insertFile, readFile } from "./file.ts";
import { copyState, isWhole, openCopy, type CopiedSession } from "./fork-copy.ts";
import { keepFiles } from "./named-files.ts";
import type { PackedBatch } from "./packed-batch.ts";
import { writeEvents } from "./write-events.ts";
import type { Writing } from "./writing.ts";

/** `after` is the event that they follow. */
export function importEvents(
  writing: Writing,
  key: number,
  batch: PackedBatch,
  after: { seq: number; sub: number },
): void {
  const log = copyState(writing, key);
  if (log.seq !== after.seq || log.sub !== after.sub)
    throw new Error(`events after ${after.seq}, ${after.sub} can't follow ${log.seq}, ${log.sub}`);
  writeEvents(writing, log, batch);
}

export type FinishImport = CopiedSession & {
  id: string;
  epoch: number;
  profile: string;
  workspace: string | null;
  files: readonly StagedFile[];
  command: Command | undefined;
};

/** Its bytes are there; the row that makes it a file is not. */
export type StagedFile = { info: FileInfo; blob: number };

export function finishImport(writing: Writing, imported: FinishImport): Created {
  const { id, epoch, profile, workspace, files, person, now, command } = imported;
  return once<Created>(writing, command, now, () => {
    if (writing.logs.find(id)) return { ok: false, code: "exists" };
    if (!isWhole(writing, imported)) throw new Error(`${id} is not whole`);
    openCopy(writing, epoch, imported, { id, profile, ...(workspace !== null && { workspace }) });
    // One that came in the same way meanwhile is the same file.
    for (const { info, blob } of files)
      if (!readFile(writing.database, info.file)) insertFile(writing, info, blob, now);
    const names = files.map(({ info }) => info.file);
    keepFiles(writing, imported.key, names, now);
    return { ok: true, session: madeSession(writing, id, person) };
  });
}
