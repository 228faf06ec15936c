import { expect, test } from "vitest";
import { needsText, readSlash, SLASH_COMMANDS, slashChoices } from "./slash.ts";

test.each([
  ["/stop", { type: "command", name: "stop", rest: "" }],
  ["/STOP ", { type: "command", name: "stop", rest: "" }],
  ["/title  A new  name ", { type: "command", name: "title", rest: "A new  name" }],
  ["/steer first\nsecond", { type: "command", name: "steer", rest: "first\nsecond" }],
  ["/compact", { type: "unknown", name: "compact" }],
  ["/", { type: "unknown", name: "" }],
  ["//stop", { type: "text", text: "/stop" }],
  [" /stop", { type: "text", text: " /stop" }],
  ["/etc/hosts is wrong", { type: "text", text: "/etc/hosts is wrong" }],
  ["/2 of it", { type: "text", text: "/2 of it" }],
  ["hello /stop", { type: "text", text: "hello /stop" }],
])("%j is read as %j", (typed, read) => {
  expect(readSlash(typed)).toEqual(read);
});

test("choices are those that begin as typed, then those that have it within, and none once more is typed", () => {
  expect(slashChoices("/")).toHaveLength(SLASH_COMMANDS.length);
  expect(slashChoices("/st").map(({ name }) => name)).toEqual(["stop", "steer", "status"]);
  expect(slashChoices("/su").map(({ name }) => name)).toEqual(["resume"]);
  expect(slashChoices("/stop ")).toEqual([]);
  expect(slashChoices("stop")).toEqual([]);
});

test("names are told apart, and what must be followed by something is known", () => {
  expect(new Set(SLASH_COMMANDS.map(({ name }) => name)).size).toBe(SLASH_COMMANDS.length);
  expect(SLASH_COMMANDS.filter(needsText).map(({ name }) => name)).toEqual(["steer", "resume", "title"]);
});
