// RFC 9457 problem documents: a stable `code` for programs, a `detail` that tells a person what to do.

export const problems = {
  bad_json: { status: 400, title: "The body is not JSON" },
  bad_request: { status: 400, title: "The request is malformed" },
  unauthorized: { status: 401, title: "A credential is needed" },
  forbidden: { status: 403, title: "Not allowed from here" },
  not_found: { status: 404, title: "There is no such thing" },
  method_not_allowed: { status: 405, title: "Not allowed on this address" },
  request_timeout: { status: 408, title: "The request took too long to arrive" },
  conflict: { status: 409, title: "In conflict with the present state" },
  ended: { status: 409, title: "The session has ended" },
  live: { status: 409, title: "Work is live" },
  answered: { status: 409, title: "The ask has its answer" },
  ask_closed: { status: 409, title: "The ask is closed" },
  not_queued: { status: 409, title: "The input is no longer queued" },
  queue_full: { status: 409, title: "The queue is full" },
  over: { status: 409, title: "The process runs no longer" },
  not_done: { status: 409, title: "It could not be done" },
  position_ahead: { status: 409, title: "The position is ahead of the log" },
  other_store: { status: 409, title: "The position is of another store" },
  gone: { status: 410, title: "No longer there" },
  too_large: { status: 413, title: "Too large" },
  media_type: { status: 415, title: "The media type is not understood" },
  wrong_host: { status: 421, title: "The request is for another host" },
  schema: { status: 422, title: "The request does not fit its schema" },
  key_reused: { status: 422, title: "The idempotency key was used for another request" },
  upgrade_required: { status: 426, title: "This address speaks WebSocket" },
  too_many: { status: 429, title: "Too many at once" },
  header_too_large: { status: 431, title: "The header is too large" },
  internal: { status: 500, title: "Something went wrong" },
  // Not the caller's doing, and trying again does not help: `log` and `position` say what and where, doctor rescues.
  damaged: { status: 500, title: "A stored event is damaged" },
  host_down: { status: 503, title: "The host can't be reached" },
  not_ready: { status: 503, title: "Not ready" },
  shutting_down: { status: 503, title: "Shutting down" },
} as const;

export type ProblemCode = keyof typeof problems;

export type Fault = { path: string; message: string };

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  faults?: Fault[];
  [more: string]: unknown;
};

export function problem(code: ProblemCode, detail: string, more: Record<string, unknown> = {}): Problem {
  const { status, title } = problems[code];
  return { type: `urn:holdfast:problem:${code}`, title, status, detail, code, ...more };
}
