// Files beside a text that is being written. They go up as soon as they are added, so that sending need not wait; what is up
// is kept with the text over a reload, what is not is named then, to be added again.
import { createMutable } from "solid-js/store";
import { FILE_MAX_BYTES, FILES_MAX } from "../../src/protocol/limits.ts";
import type { Attachment } from "../../src/session/event.ts";
import { failureWords } from "../failure-words.ts";
import { hearProgress } from "./upload-progress.ts";
import type { KeptFile } from "./unsent.ts";

export type Upload = (
  file: { name: string; type: string; body: Blob },
  signal: AbortSignal,
) => Promise<Attachment>;

export type AttachedFile = {
  readonly id: number;
  readonly name: string;
  readonly bytes: number | null;
  state: "uploading" | "ready" | "failed";
  /** How much of it is up, from 0 to 1. */
  share: number;
  /** What keeps a failed one from being sent. */
  why: string | null;
  file: Attachment | null;
  /** Whether trying again can help. */
  canRetry: boolean;
};

export type AttachedFiles = {
  readonly list: readonly AttachedFile[];
  /** Why something that was added is not in the list. */
  readonly refused: string | null;
  add(files: readonly File[]): void;
  remove(id: number): void;
  retry(id: number): void;
  /** Those that are up, once none is on its way; null when one of them can't be sent. */
  settled(): Promise<Attachment[] | null>;
  /** All of them leave the list, to be sent. */
  take(): Taken;
  /** Those that came back from a send that failed. */
  putBack(files: readonly KeptFile[]): void;
};

export type Taken = { kept(): KeptFile[]; settled: Promise<Attachment[] | null>; putBack(): void };

type Uploading = { file: File; ended: Promise<void>; abort: AbortController };

const NAME_MAX_CHARS = 255;

/** Where they outlive the page. */
export type FilesKeeper = { kept(): readonly KeptFile[]; keep(files: readonly KeptFile[]): void };

export function createAttachedFiles(keeper: FilesKeeper, upload: Upload): AttachedFiles {
  let lastId = 0;
  const state = createMutable({ list: keeper.kept().map(fromKept), refused: null as string | null });
  const uploads = new Map<number, Uploading>();

  return {
    get list() {
      return state.list;
    },
    get refused() {
      return state.refused;
    },
    add(files) {
      const room = FILES_MAX - state.list.length;
      state.refused = files.length > room ? `A message has at most ${FILES_MAX} files.` : null;
      for (const file of files.slice(0, Math.max(0, room))) begin(file);
      keep();
    },
    remove(id) {
      uploads.get(id)?.abort.abort();
      uploads.delete(id);
      state.list = state.list.filter((each) => each.id !== id);
      state.refused = null;
      keep();
    },
    retry(id) {
      const each = state.list.find((one) => one.id === id);
      const file = uploads.get(id)?.file;
      if (each && file) send(each, file);
    },
    async settled() {
      while (state.list.some(isUploading)) await ended(state.list);
      return allUp(state.list);
    },
    take() {
      const taken = state.list;
      state.list = [];
      state.refused = null;
      keep();
      return {
        kept: () => taken.map(keptFile),
        settled: ended(taken).then(() => allUp(taken)),
        putBack() {
          state.list = [...taken, ...state.list];
          keep();
        },
      };
    },
    putBack(files) {
      state.list = [...files.map(fromKept), ...state.list];
      keep();
    },
  };

  function begin(file: File): void {
    const name = file.name.slice(0, NAME_MAX_CHARS) || "file";
    const fields = { id: ++lastId, name, bytes: file.size, file: null, share: 0 };
    if (file.size > FILE_MAX_BYTES) {
      const why = `too large: ${megabytes(file.size)}, and a file has at most ${megabytes(FILE_MAX_BYTES)}`;
      state.list.push({ ...fields, state: "failed", why, canRetry: false });
      return;
    }
    state.list.push({ ...fields, state: "uploading", why: null, canRetry: true });
    const added = state.list.at(-1);
    if (added) send(added, file);
  }

  function send(each: AttachedFile, file: File): void {
    Object.assign(each, { state: "uploading", why: null, share: 0 });
    hearProgress(file, (share) => (each.share = share));
    const abort = new AbortController();
    uploads.set(each.id, { file, abort, ended: goUp(each, file, abort.signal) });
  }

  async function goUp(each: AttachedFile, file: File, signal: AbortSignal): Promise<void> {
    try {
      if (!(await isReadable(file))) return fail(each, "can't be read: it is a folder, or was moved", false);
      each.file = await upload({ name: each.name, type: file.type, body: file }, signal);
      each.state = "ready";
      uploads.delete(each.id);
    } catch (error) {
      if (signal.aborted) return; // removed
      fail(each, `not uploaded: ${failureWords(error)}`, true);
    }
    keep();
  }

  function fail(each: AttachedFile, why: string, canRetry: boolean): void {
    Object.assign(each, { state: "failed", why, canRetry });
  }

  async function ended(some: readonly AttachedFile[]): Promise<void> {
    await Promise.all(some.flatMap(({ id }) => uploads.get(id)?.ended ?? []));
  }

  function fromKept(file: KeptFile): AttachedFile {
    const fields = { id: ++lastId, name: file.name, canRetry: false };
    if ("file" in file) return { ...fields, bytes: file.bytes, state: "ready", share: 1, why: null, file };
    const why = "not uploaded: the page was closed first. Add it again";
    return { ...fields, bytes: null, state: "failed", share: 0, why, file: null };
  }

  function keep(): void {
    keeper.keep(state.list.map(keptFile));
  }
}

function isUploading({ state }: AttachedFile): boolean {
  return state === "uploading";
}

function allUp(some: readonly AttachedFile[]): Attachment[] | null {
  const files = some.flatMap(({ file }) => (file === null ? [] : [file]));
  return files.length === some.length ? files : null;
}

function keptFile({ file, name }: AttachedFile): KeptFile {
  return file === null ? { name } : { ...file };
}

/** A folder that is dropped looks like a file until it is read. */
async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

export function megabytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(bytes < 10 * 1024 * 1024 ? 1 : 0)} MB`;
}
