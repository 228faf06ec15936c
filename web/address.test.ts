import { expect, test } from "vitest";
import { formatPosition } from "../src/session/position.ts";
import { parseAddress, searchPath, sessionPath } from "./address.ts";

const address = (path: string) => new URL(path, "http://127.0.0.1:4180");

test("a session's address leads back to the session", () => {
  expect(parseAddress(address(sessionPath("ses_1")))).toEqual({
    page: "session",
    session: "ses_1",
    at: null,
  });
});

test("a search hit's address leads to its place in the session", () => {
  const at = formatPosition(12, 0);
  expect(parseAddress(address(sessionPath("ses_1", at)))).toEqual({ page: "session", session: "ses_1", at });
});

test("a search's address leads back to its words", () => {
  for (const query of ["", "heron & reeds", "100 % #1"])
    expect(parseAddress(address(searchPath(query)))).toEqual({ page: "search", query });
});

test("a fragment that is no position is no place", () => {
  expect(parseAddress(address("/sessions/ses_1#main"))).toEqual({
    page: "session",
    session: "ses_1",
    at: null,
  });
});

test("the secret of a login link is all behind its #", () => {
  expect(parseAddress(address("/login#a-secret_1"))).toEqual({ page: "login", secret: "a-secret_1" });
});

test.each(["/session", "/sessions", "/sessions/", "/sessions/a/b", "/login/x"])("%s is no page", (path) => {
  expect(parseAddress(address(path))).toEqual({ page: "unknown" });
});
