// The time that decides: whether a lease, a login or a link has run out, and whether a timer is due. It is the
// database's, the same for all nodes; a test that owns time hands its own in.

/** Computed in floating point: `extract` would do it in decimal numbers, row by row. */
export const NOW_MS = "floor(date_part('epoch', clock_timestamp()) * 1000)::bigint";
/** Never a test's: what changed of late is found by it, whoever owns the time that decides. */
export const NOW_S = "floor(date_part('epoch', clock_timestamp()))::bigint";

/** `parameter` is null unless a test owns time. */
export function decidingMs(parameter: string): string {
  return `coalesce(${parameter}::bigint, ${NOW_MS})`;
}

/** A time as facts and rows have it. */
export function isoOf(ms: string): string {
  return `to_char(to_timestamp((${ms}) / 1000.0) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
