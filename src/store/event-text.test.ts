import { expect, it } from "vitest";
import { formatPosition } from "../session/position.ts";
import { checkedEvent, eventBody, eventText } from "./event-text.ts";
import { DamagedEvent } from "./store.ts";

const { text: body, crc } = eventBody(
  { type: "notice", data: { level: "info", text: "said" } },
  "2026-11-15T09:00:00.000Z",
  { person: "owner" },
);
const text = eventText(formatPosition(7, 0), body);

it("an event is read as it was written", () => {
  expect(checkedEvent("ses_a", 7, 0, text, crc)).toMatchObject({
    position: formatPosition(7, 0),
    data: { text: "said" },
  });
});

it.each([
  ["whose words are others", 7, 0, text.replace("said", "sane"), crc],
  ["whose checksum is another's", 7, 0, text, crc ^ 1],
  ["that stands in the place of another fact", 8, 0, text, crc],
  ["that stands in the place of a draft", 7, 1, text, crc],
])("an event %s is refused as damaged", (_, seq, sub, found, kept) => {
  expect(() => checkedEvent("ses_a", seq, sub, found, kept)).toThrow(DamagedEvent);
});
