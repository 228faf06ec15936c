import { describe, expect, it } from "vitest";
import { asidesToShow, matches, searchText, snippet, words } from "./search-text.ts";

describe("search", () => {
  it("finds what was said, asked and printed, and not the machinery around it", () => {
    expect(
      searchText({
        type: "input_admitted",
        data: { input: "i", kind: "prompt", text: "fix the tide table" },
      }),
    ).toBe("fix the tide table");
    expect(
      searchText({
        type: "step_completed",
        data: {
          step: "s",
          attempt: 1,
          message: [
            { type: "reasoning", text: "hm" },
            { type: "text", text: "Done." },
          ],
        },
      }),
    ).toBe("Done.");
    expect(searchText({ type: "tool_finished", data: { call: "c", status: "ok", result: "3 passed" } })).toBe(
      "3 passed",
    );
    expect(searchText({ type: "turn_started", data: { turn: "t", inputs: [] } })).toBeUndefined();
  });

  it("bounds what it indexes of one event", () => {
    const text = searchText({
      type: "tool_finished",
      data: { call: "c", status: "ok", result: "x".repeat(100_000) },
    });
    expect(text).toHaveLength(16_384);
    const said = searchText({
      type: "input_admitted",
      data: { input: "i", kind: "prompt", text: "x".repeat(300_000) },
    });
    expect(said).toHaveLength(262_144);
  });

  it("shows a hit from a text that was put aside only where the event itself does not say the word", () => {
    const aside = { blob: "b", bytes: 100_000, preview: "a heron, and much more" };
    const event = { type: "input_admitted", data: { input: "i", kind: "prompt", text: aside } } as const;
    expect(asidesToShow(event, "heron")).toEqual([]);
    expect(asidesToShow(event, "bittern")).toEqual([aside]);
    expect(searchText(event, () => "the whole")).toBe("the whole");
  });

  it("shows the surroundings of the first word found, whatever its case and accents", () => {
    const text = `${"filler ".repeat(60)}The Größe of\nthe tide ${"more ".repeat(60)}`;
    const shown = snippet(text, "grosse GRÖßE");
    expect(shown).toContain("Größe of the tide");
    expect(shown).toMatch(/^….*…$/);
    expect(snippet("short", "nothing")).toBe("short");
  });

  it("marks whole words and those that begin like the last, never the inside of one", () => {
    const marked = (text: string, query: string) =>
      Array.from(matches(text, query), ({ from, to }) => text.slice(from, to));
    expect(marked("A Heron, herons and a sheron", "a heron")).toEqual(["A", "Heron", "heron", "a"]);
    expect(marked("Čeština und Größe", "CESTINA größe")).toEqual(["Čeština", "Größe"]);
    expect(marked("ΕΛΛΆΣ und Ёлка, 𞤀𞤣𞤤", "ελλας елка 𞤢𞤣𞤤")).toEqual(["ΕΛΛΆΣ", "Ёлка", "𞤀𞤣𞤤"]);
    const decomposed = "Čeština".normalize("NFD");
    expect(marked(decomposed, "cestina")).toEqual([decomposed]);
    expect(marked(decomposed, "čes")).toEqual(["Češ".normalize("NFD")]);
    expect(marked("nothing here", "!!!")).toEqual([]);
    expect(snippet(`${"sheron ".repeat(60)}the heron`, "heron")).toContain("the heron");
  });

  it("takes a query as words, so that no sign of the engine's own language gets through", () => {
    expect(words(`"drop" OR (x*) -y: größe_2`)).toEqual(["drop", "OR", "x", "y", "größe_2"]);
    expect(words("!!!")).toEqual([]);
  });
});
