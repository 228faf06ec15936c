import { expect, test } from "vitest";
import { keepSecret } from "../secret/secrets.ts";
import { makeLog } from "./log.ts";

test("a secret that an error speaks of is not in the log", () => {
  const lines: string[] = [];
  const secrets = keepSecret([{ name: "A_KEY", value: 'a "key" to it' }]);
  const log = makeLog("info", { write: (line) => void lines.push(line) }, secrets);
  log.error({ err: new Error('refused: a "key" to it') }, 'a "key" to it was refused');
  expect(JSON.parse(lines.join(""))).toMatchObject({
    msg: "[secret: A_KEY] was refused",
    err: { message: "refused: [secret: A_KEY]" },
  });
  expect(lines.join("")).not.toContain("to it");
});
