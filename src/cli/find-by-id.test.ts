import { expect, test } from "vitest";
import { endingOf } from "./exit.ts";
import { findById } from "./find-by-id.ts";

const tokens = [
  { id: "tok_03", name: "ci" },
  { id: "tok_02a", name: "laptop" },
  { id: "tok_02b", name: "phone" },
];

function find(wanted: string, items = tokens) {
  try {
    return findById(items, wanted, "token").id;
  } catch (error) {
    return endingOf(error);
  }
}

test.each([
  ["its id", "tok_02a", "tok_02a"],
  ["a unique beginning of its id", "tok_03", "tok_03"],
  ["its name", "phone", "tok_02b"],
  ["latest, which was made last", "latest", "tok_03"],
])("one is found by %s", (_, wanted, found) => {
  expect(find(wanted)).toBe(found);
  expect(find(wanted, tokens.toReversed())).toBe(found);
});

test("what is ambiguous is a conflict that lists who could be meant, and so is an old one called latest", () => {
  expect(find("tok_02")).toMatchObject({ code: 4, problem: { candidates: tokens.slice(1) } });
  const misleading = [...tokens, { id: "tok_01", name: "latest" }];
  expect(find("latest", misleading)).toMatchObject({ code: 4 });
});

test("what nothing is called is not found, and without any there is no latest", () => {
  expect(find("tok_09")).toMatchObject({ code: 3, line: "there is no token tok_09" });
  expect(find("latest", [])).toMatchObject({ code: 3 });
});
