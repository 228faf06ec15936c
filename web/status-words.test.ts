import { expect, test } from "vitest";
import { apply } from "../src/session/apply.ts";
import { logFrom, numbered } from "../src/session/arbitrary-log.ts";
import type { NewEvent } from "../src/session/event.ts";
import { attentionOf, changedRow, EMPTY_ROW, rowChange, statusOf } from "../src/session/row.ts";
import { emptyView } from "../src/session/view.ts";
import { markOf, standingOf, statusWords } from "./status-words.ts";
import fc from "fast-check";

const NOW = Date.parse("2026-11-15T12:00:00");

test("the pane and its row in the list say the same of any log", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 60 }), (choices) => {
      const view = emptyView();
      let row = EMPTY_ROW;
      for (const event of numbered(logFrom(choices))) {
        apply(view, event);
        const change = rowChange([event as NewEvent]);
        if (change) row = changedRow(row, change);
      }
      const standing = {
        status: statusOf(row),
        attention: attentionOf(row),
        queued: row.queued,
        retryAt: row.retryAt,
      };
      expect(standingOf(view)).toEqual(standing);
    }),
  );
});

test("whoever needs a person says so before anything else", () => {
  const row = {
    status: "waiting",
    attention: { kind: "approval", count: 1 },
    queued: 0,
    retryAt: null,
  } as const;
  expect(statusWords(row, NOW)).toBe("wants an approval");
  expect(markOf({ ...row, unread: 3 })).toBe("approval");
});

test("what is unread shows once nothing runs", () => {
  const row = { status: "idle", attention: null, queued: 0, retryAt: null } as const;
  expect(markOf({ ...row, unread: 3 })).toBe("unread");
  expect(markOf({ ...row, status: "running", unread: 3 })).toBe("running");
  expect(markOf({ ...row, unread: 0 })).toBe("none");
});

test("a retry says when", () => {
  const retryAt = new Date(NOW + 60_000).toISOString();
  expect(statusWords({ status: "waiting", attention: null, queued: 0, retryAt }, NOW)).toBe(
    "retrying at 12:01",
  );
});
