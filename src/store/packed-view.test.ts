import { expect, it } from "vitest";
import { logFrom, numbered } from "../session/arbitrary-log.ts";
import { apply } from "../session/apply.ts";
import { emptyView } from "../session/view.ts";
import { packView, unpackView } from "./packed-view.ts";

function someView() {
  const view = emptyView();
  for (const event of numbered(logFrom([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]))) apply(view, event);
  return view;
}

it("comes back as it was", () => {
  const view = someView();
  expect(unpackView(packView(view))).toEqual(view);
});

it("is none when a byte of it is another", () => {
  const packed = packView(someView());
  for (const at of [0, packed.bytes.length >> 1, packed.bytes.length - 1]) {
    const bytes = Uint8Array.from(packed.bytes);
    bytes[at]! ^= 1;
    expect(unpackView({ ...packed, bytes })).toBeUndefined();
  }
});
