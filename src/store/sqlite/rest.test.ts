import { expect, it } from "vitest";
import { Rest } from "./rest.ts";

it("lasts as long as to be there for others most of the time", () => {
  const rest = new Rest();
  expect(rest.isOver(0)).toBe(true);
  rest.wrote(100, 2);
  expect([rest.isOver(109), rest.isOver(110)]).toEqual([false, true]);
});

it("lasts much longer after a slow write, and no shorter because others write", () => {
  const rest = new Rest();
  rest.wrote(100, 20);
  rest.otherWrote(150);
  expect([rest.isOver(499), rest.isOver(500)]).toEqual([false, true]);
});

it("begins anew with what others write", () => {
  const rest = new Rest();
  rest.wrote(100, 1);
  rest.otherWrote(104);
  rest.otherWrote(108);
  expect([rest.isOver(112), rest.isOver(113)]).toEqual([false, true]);
});
