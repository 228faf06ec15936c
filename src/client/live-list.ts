// The list of sessions as it is now.
import type { SessionRow } from "../protocol/http.ts";
import type { RowsFrame, Socket } from "./socket.ts";

export type LiveList = {
  readonly rows: ReadonlyMap<string, SessionRow>;
  leave(): void;
};

/** `changed` is told which rows came or changed and which went; after a gap of any length it is the whole again. */
export function liveList(
  socket: Pick<Socket, "watchSessions">,
  changed: (frame: RowsFrame) => void,
): LiveList {
  const rows = new Map<string, SessionRow>();
  const leave = socket.watchSessions((frame) => {
    if (frame.whole) rows.clear();
    for (const row of frame.rows) rows.set(row.id, row);
    for (const id of frame.gone ?? []) rows.delete(id);
    changed(frame);
  });
  return { rows, leave };
}
