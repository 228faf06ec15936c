import { expect, test } from "vitest";
import { imageHost, targetOf } from "./links.ts";

const ORIGIN = "http://127.0.0.1:4180";
const kind = (href: string) => targetOf(href, ORIGIN).kind;

test("web and mail addresses lead out of the page", () => {
  expect(["https://example.org/a?b#c", "http://example.org", "mailto:a@example.org"].map(kind)).toEqual([
    "outside",
    "outside",
    "outside",
  ]);
});

test("a link to one of our own pages stays within the page, however it is written", () => {
  expect(targetOf("/sessions/ses_1#x", ORIGIN)).toEqual({ kind: "page", path: "/sessions/ses_1#x" });
  expect(targetOf(`${ORIGIN}/sessions/ses_1`, ORIGIN)).toEqual({ kind: "page", path: "/sessions/ses_1" });
});

test("what runs, embeds, logs in, or is a path of a workspace leads nowhere", () => {
  const hrefs = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "\u0001javascript:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:http://127.0.0.1:4180/x",
    "/login#secret",
    "/api/sessions",
    "src/main.ts",
    "../x",
    "#place",
    "https://",
  ];
  expect(hrefs.filter((href) => kind(href) !== "none")).toEqual([]);
});

test("another host is not ours because its address looks short", () => {
  expect(targetOf("//example.org/sessions/x", ORIGIN)).toEqual({
    kind: "outside",
    href: "http://example.org/sessions/x",
  });
});

test("only an image of the web has a host to be fetched from", () => {
  expect(imageHost("https://img.example.org:8443/a.png")).toBe("img.example.org:8443");
  expect(imageHost("data:image/svg+xml,<svg/>")).toBeUndefined();
  expect(imageHost("./a.png")).toBeUndefined();
});
