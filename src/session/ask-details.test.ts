import { expect, test } from "vitest";
import { askDetails, detailBytes } from "./ask-details.ts";

test("what a call was given is all there but for what is shown already", () => {
  const args = { command: "make", cwd: "sub", background: true, env: { A: "1" } };
  expect(askDetails(args, ["make", "/work/sub"])).toEqual([
    { name: "cwd", text: "sub" },
    { name: "background", text: "true" },
    { name: "env", text: '{\n "A": "1"\n}' },
  ]);
  expect(askDetails("odd", [])).toEqual([{ name: "arguments", text: '"odd"' }]);
});

test("of a long text there is the beginning, with the size of the whole", () => {
  const [detail] = askDetails({ text: "é".repeat(100_000) }, []);
  expect(detail).toMatchObject({ text: "é".repeat(20_000), bytes: 200_000 });
  expect(detail && detailBytes(detail)).toBe(200_000);
  expect(detailBytes({ name: "text", text: "é" })).toBe(2);
});
