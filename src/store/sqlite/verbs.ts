// All that the writer's thread can be asked to do. Each is one transaction: it checks before it writes, so that a
// refusal leaves nothing behind.
import { append } from "./append.ts";
import { arrangeSession } from "./arrange-session.ts";
import { beginBlob, dropBlob, finishBlob, keepBlobs, putChunk } from "./blob.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { keep } from "./command.ts";
import { noteDeed } from "./deed.ts";
import { createLog, createSession } from "./create-session.ts";
import { deleteSession, purge } from "./delete-session.ts";
import { addFile } from "./file.ts";
import { abandonFork, beginCopy, beginFork, copyEvents, finishFork } from "./fork-copy.ts";
import { finishImport, importEvents } from "./import-copy.ts";
import { finishSuccession } from "./finish-succession.ts";
import { claimSession } from "./claim-session.ts";
import { claimLease, releaseLease, renewLease } from "./lease.ts";
import { addLoginLink, markUse, redeemLoginLink, revokeLogin } from "./login.ts";
import { addRule, removeRule } from "./rule.ts";
import { keepFiles, sweepFiles } from "./named-files.ts";
import { forgetProcess } from "./process.ts";
import { finishRequest, requestProcess, takeRequests } from "./process-request.ts";
import { sortWords } from "./search-index.ts";
import { setSeen } from "./seen.ts";
import { sweepSlice } from "./sweep.ts";
import { orphanedBlobs, tidySlice } from "./tidy.ts";
import { clearTimer, setTimer } from "./timer.ts";
import { addToken, revokeToken } from "./token.ts";
import { fillUsage } from "./usage.ts";
import { dropSnapshots, saveSnapshot } from "./view.ts";
import type { Writing } from "./writing.ts";

export const verbs = {
  append,
  keep,
  arrangeSession,
  beginBlob,
  putChunk,
  finishBlob,
  keepBlobs,
  dropBlob,
  createLog,
  createSession,
  deleteSession,
  purge,
  addFile,
  keepFiles,
  sweepFiles,
  beginFork,
  copyEvents,
  finishFork,
  abandonFork,
  beginCopy,
  importEvents,
  finishImport,
  finishSuccession,
  claimLease,
  claimSession,
  renewLease,
  releaseLease,
  addLoginLink,
  redeemLoginLink,
  revokeLogin,
  markUse,
  addRule,
  removeRule,
  noteDeed,
  setSeen,
  sortWords,
  sweepSlice,
  collectGarbage,
  tidySlice,
  orphanedBlobs,
  forgetProcess,
  requestProcess,
  takeRequests,
  finishRequest,
  setTimer,
  clearTimer,
  addToken,
  revokeToken,
  fillUsage,
  saveSnapshot,
  dropSnapshots,
};

/** These make room, or let go of what is held: they are carried out even while the disk is full. */
export const FREEING: ReadonlySet<VerbName> = new Set<VerbName>([
  "deleteSession",
  "forgetProcess",
  "purge",
  "dropBlob",
  "tidySlice",
  "orphanedBlobs",
  "sweepFiles",
  "dropSnapshots",
  "releaseLease",
  "clearTimer",
  "revokeToken",
  "revokeLogin",
  "removeRule",
  "noteDeed", // of whoever did one of these
  "abandonFork",
]);

export type Verbs = typeof verbs;
export type VerbName = keyof Verbs;
export type VerbArgs<Name extends VerbName> = Verbs[Name] extends (
  writing: Writing,
  ...args: infer Args
) => unknown
  ? Args
  : never;
export type VerbResult<Name extends VerbName> = ReturnType<Verbs[Name]>;
