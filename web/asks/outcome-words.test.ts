import { expect, test } from "vitest";
import { APPROVAL_CHOICES } from "../../src/session/answer.ts";
import { outcomeWords, type Closed } from "./outcome-words.ts";

const closed = (given: Partial<Closed> = {}): Closed => ({
  kind: "approval",
  state: "answered",
  answer: { choice: "once" },
  closedBy: { person: "owner", device: "Firefox on Linux" },
  choices: [...APPROVAL_CHOICES],
  ...given,
});

test("whoever loses a race is told by whom it was answered, and what", () => {
  expect(outcomeWords(closed(), "owner")).toBe("Answered by you on another device: once");
  expect(outcomeWords(closed(), "anna")).toBe("Answered by owner (Firefox on Linux): once");
  expect(outcomeWords(closed(), "owner", true)).toBe("Answered by you: once");
  const program = { person: "owner", device: "nightly", program: true } as const;
  expect(outcomeWords(closed({ closedBy: program }), "owner")).toBe("Answered by nightly: once");
});

test("a denial is told with its reason, choices by their labels", () => {
  const denied = closed({ answer: { choice: "deny", text: "not on a Friday" } });
  expect(outcomeWords(denied, "owner")).toBe("Answered by you on another device: deny: not on a Friday");
  const chosen = closed({
    kind: "clarify",
    answer: { values: ["2"] },
    choices: [{ id: "2", label: "Blue" }],
  });
  expect(outcomeWords(chosen, "owner")).toBe("Answered by you on another device: blue");
});

test("what nobody answered is told plainly", () => {
  expect(outcomeWords(closed({ state: "withdrawn", answer: null }), "owner")).toMatch(/^Withdrawn/);
  expect(outcomeWords(closed({ state: "expired", answer: null }), "owner")).toMatch(/^Expired/);
});
