// A session's export in JSON lines: its events as they stand in the log, in front of each what it refers to, and a last line
// that says that all of it is there. Only events have a `type` and a `position`.
import { z } from "zod";
import { FileName, PositionText } from "./http.ts";
import { FILE_MAX_BYTES } from "./limits.ts";

/** How much of a text or a file stands in one line: written as JSON it may take six times as much. */
export const STRETCH_BYTES = 32 * 1024;

/** Of a text or a file: more than any has. */
export const NAME_MAX_CHARS = 200;

const Bytes = z.number().int().min(0).max(FILE_MAX_BYTES);
/** How large the whole is, and where this stretch of it begins. */
const where = { bytes: Bytes, offset: Bytes };

/** A long text is named after the SHA-256 of its bytes. `base64` is for one that is not UTF-8. */
export const BlobLine = z.strictObject({
  blob: z.string().regex(/^[0-9a-f]{64}$/),
  ...where,
  text: z.string().optional(),
  base64: z.base64().optional(),
});
export const FileLine = z.strictObject({
  file: z.string().regex(/^[\w-]{1,100}$/),
  name: FileName,
  mediaType: z.string().regex(/^[\u0020-\u007e]{1,200}$/),
  ...where,
  base64: z.base64(),
});
/** What the next event refers to, and the exporting store had no longer. */
export const MissingLine = z.strictObject({ missing: z.string().max(NAME_MAX_CHARS) });
/** Of the last event, and whose log it is. */
export const EndLine = z.strictObject({ end: PositionText, session: z.string().regex(/^[\w-]{1,100}$/) });

export type BlobLine = z.infer<typeof BlobLine>;
export type FileLine = z.infer<typeof FileLine>;
export type MissingLine = z.infer<typeof MissingLine>;
export type EndLine = z.infer<typeof EndLine>;
