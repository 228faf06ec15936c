// The change that someone is making to an input that waits, from its beginning to its end. Its files go up as they are
// added, whether the row that shows them is on the page or not.
import type { Attachment } from "../../src/session/event.ts";
import { createAttachedFiles, type AttachedFiles, type Upload } from "./attached-files.ts";
import { keptEdit, setKeptEdit, type KeptEdit } from "./kept-edit.ts";

/** By session: each has one such change at a time. */
const files = new Map<string, AttachedFiles>();

export function beginQueueEdit(session: string, edit: KeptEdit): void {
  endQueueEdit(session);
  setKeptEdit("queue", session, edit);
}

/** Of the change that is under way. */
export function queueEditFiles(
  session: string,
  upload: Upload,
  /** What the input has, for a change that knows of no files. */
  sent: readonly Attachment[] = [],
): AttachedFiles {
  const known = files.get(session);
  if (known) return known;
  const input = keptEdit("queue", session)?.input;
  const made = createAttachedFiles(
    {
      kept: () => keptEdit("queue", session)?.files ?? sent,
      keep(now) {
        const edit = keptEdit("queue", session);
        if (edit !== null && edit.input === input)
          setKeptEdit("queue", session, { ...edit, files: [...now] });
      },
    },
    upload,
  );
  files.set(session, made);
  return made;
}

/** Saved or given up: what is still on its way up is of no use. */
export function endQueueEdit(session: string): void {
  const ended = files.get(session);
  files.delete(session);
  setKeptEdit("queue", session, null);
  for (const { id } of ended?.list ?? []) ended?.remove(id);
}
