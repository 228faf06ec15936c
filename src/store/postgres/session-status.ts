// What follows from a session's row and is told where it is read: a generated column would be dear in every append.

/** As src/session/row.ts has it. */
export const STATUS = `case
    when session.ended then 'ended'
    when session.turn is not null and session.recovering then 'recovering'
    when session.turn is not null and (session.approvals + session.questions > 0 or session.retry_at is not null) then 'waiting'
    when session.turn is not null then 'running'
    when session.queued > 0 and not session.held then 'queued'
    else 'idle' end`;

/** Neither idle nor ended, in the words of the index of those that are. */
export const IS_ACTIVE =
  "not session.ended and (session.turn is not null or (session.queued > 0 and not session.held))";

/** The head of its lineage, and no delegate's or task's session: what a list shows. */
export const IS_LISTED = "session.successor is null and coalesce(session.origin_kind, 'fork') = 'fork'";

/** Of `updated_hour`, by which the list's index is sorted: so a session moves in it once an hour, not with every step. */
export const HOUR_MS = 3_600_000;
