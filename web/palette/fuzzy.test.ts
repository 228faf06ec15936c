import { expect, test } from "vitest";
import { fit } from "./fuzzy.ts";

const best = (query: string, titles: string[]) =>
  titles
    .map((title) => ({ title, score: fit(title, query)?.score ?? -1 }))
    .filter(({ score }) => score >= 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ title }) => title);

test("a beginning comes before a word's beginning, that before an inside, that before initials", () => {
  expect(
    best("te", ["Latest news", "Flaky test", "Test the release", "The end of it all", "Tell everyone"]),
  ).toEqual(["Test the release", "Tell everyone", "Flaky test", "Latest news", "The end of it all"]);
});

test("every word of the query must fit, in any order, without case and accents", () => {
  expect(best("eve bill", ["Migrate billing to events", "Billing", "Events"])).toEqual([
    "Migrate billing to events",
  ]);
  expect(fit("Čeština für Anfänger", "anfanger CES")?.spans).toEqual([
    { from: 0, to: 3 },
    { from: 12, to: 20 },
  ]);
});

test("initials and beginnings of words find a title, letters from anywhere do not", () => {
  expect(fit("Migrate billing to events", "mibe")).toBeDefined();
  expect(fit("Migrate billing to events", "mbe")?.spans).toEqual([
    { from: 0, to: 1 },
    { from: 8, to: 9 },
    { from: 19, to: 20 },
  ]);
  expect(fit("Migrate billing to events", "mgr")).toBeUndefined();
  expect(fit("Go to the next session that needs you", "test")).toBeUndefined();
});

test("nothing typed fits everything alike", () => {
  expect(fit("Anything", "  ")).toEqual({ score: 0, spans: [] });
});
