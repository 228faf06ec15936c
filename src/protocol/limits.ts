// How much of each the server takes. Apart from the schemas, so that a page can say it beforehand without carrying the
// schema library.
export const TITLE_MAX_CHARS = 300;
export const INPUT_MAX_CHARS = 500_000;
export const ANSWER_MAX_CHARS = 10_000;
export const QUEUE_MAX = 200;
export const FILE_MAX_BYTES = 25 * 1024 * 1024;
/** An export that is brought in, with its long texts and files. */
export const IMPORT_MAX_BYTES = 1024 * 1024 * 1024;
/** Of one input. */
export const FILES_MAX = 20;
