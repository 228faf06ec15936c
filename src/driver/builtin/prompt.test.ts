import { expect, test } from "vitest";
import type { ContextFile, ContextMessage, WholePiece } from "../driver.ts";
import type { WireKind } from "./endpoint.ts";
import { FILE_MAX_CHARS } from "./files.ts";
import type { Prompt } from "./model.ts";
import { promptOf } from "./prompt.ts";

function prompt(context: ContextMessage[], kind: WireKind = "openai-compatible", instructions = "") {
  return promptOf({ model: "p/m", step: "s9", session: "ses_1", instructions, context, tools: [] }, kind);
}

function person(text: string, files: ContextFile[] = []): ContextMessage {
  return { role: "person", text, files };
}

function agent(...pieces: WholePiece[]): ContextMessage {
  return { role: "agent", pieces };
}

function result(
  call: string,
  status: "ok" | "error" | "denied" | "unknown" | "stopped" = "ok",
): ContextMessage {
  return { role: "tool", call, name: "shell", status, result: `of ${call}` };
}

function call(name: string, id?: string): WholePiece {
  return { type: "call", call: name, name: "shell", args: {}, ...(id !== undefined && { provider: { id } }) };
}

/** In the order of calls and results. */
function sentIds(sent: Prompt): string[] {
  return JSON.stringify(sent)
    .matchAll(/"toolCallId":"([^"]*)"/g)
    .map(([, id = ""]) => id)
    .toArray();
}

test("what people say in a row is one text of one message", () => {
  expect(prompt([person("first"), person("second")])).toEqual([
    { role: "user", content: [{ type: "text", text: "first\n\nsecond" }] },
  ]);
});

test("instructions come first, and none are sent when there are none", () => {
  expect(prompt([person("hi")], "openai", "Be kind.")[0]).toEqual({ role: "system", content: "Be kind." });
  expect(prompt([person("hi")], "openai", " ")[0]).toMatchObject({ role: "user" });
});

test("an agent's message of which nothing can be said is left out", () => {
  expect(prompt([person("a"), agent({ type: "text", text: "" }), person("b")])).toHaveLength(1);
});

test("the results of a step are one message, and all but the good ones are errors", () => {
  const calls = agent(call("s1-0"), call("s1-1"), call("s1-2"));
  expect(prompt([calls, result("s1-0"), result("s1-1", "denied"), result("s1-2", "unknown")])[1]).toEqual({
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "s1-0",
        toolName: "shell",
        output: { type: "text", value: "of s1-0" },
      },
      {
        type: "tool-result",
        toolCallId: "s1-1",
        toolName: "shell",
        output: { type: "error-text", value: "of s1-1" },
      },
      {
        type: "tool-result",
        toolCallId: "s1-2",
        toolName: "shell",
        output: { type: "error-text", value: "of s1-2" },
      },
    ],
  });
});

test.each<[WireKind, string[]]>([
  ["openai-compatible", ["functions.shell:0", "functions.shell:0"]],
  ["anthropic", ["s1-0", "s2-0"]],
])("an id that only its own provider takes is sent to %s as %j", (kind, expected) => {
  const context = [
    agent(call("s1-0", "functions.shell:0")),
    result("s1-0"),
    agent(call("s2-0", "functions.shell:0")),
    result("s2-0"),
  ];
  const sent = sentIds(prompt(context, kind));
  expect(sent).toEqual(expected.flatMap((id) => [id, id]));
});

test("an id that a provider used twice is sent once to one that minds", () => {
  const context = [
    agent(call("s1-0", "call_0")),
    result("s1-0"),
    agent(call("s2-0", "call_0")),
    result("s2-0"),
  ];
  const sent = sentIds(prompt(context, "anthropic"));
  expect(sent).toEqual(["call_0", "call_0", "s2-0", "s2-0"]);
});

test("OpenAI is not sent a thought that it could not find again", () => {
  const sealed = { options: { openai: { itemId: "rs_1", reasoningEncryptedContent: "x" } } };
  const thoughts = agent(
    { type: "reasoning", text: "by number", provider: { options: { openai: { itemId: "rs_0" } } } },
    { type: "reasoning", text: "sealed", provider: sealed },
  );
  expect(prompt([thoughts], "openai")).toMatchObject([
    { content: [{ text: "sealed", providerOptions: sealed.options }] },
  ]);
  expect(prompt([thoughts], "anthropic")[0]?.content).toHaveLength(2);
});

test("a custom piece goes back to its provider as it came", () => {
  const options = { anthropic: { from: "a", to: "b" } };
  expect(
    prompt([agent({ type: "custom", value: { kind: "anthropic.fallback", options } })], "anthropic"),
  ).toMatchObject([{ content: [{ type: "custom", kind: "anthropic.fallback", providerOptions: options }] }]);
  expect(prompt([agent({ type: "custom", value: "of another driver" })])).toEqual([]);
});

test("Anthropic is told to cache up to the instructions, the last call and the end", () => {
  const context = [
    person("a"),
    agent(call("s1-0")),
    result("s1-0"),
    agent(call("s2-0")),
    result("s2-0"),
    person("b"),
  ];
  const marked = prompt(context, "anthropic", "Be kind.").map(
    (message) => message.providerOptions !== undefined,
  );
  expect(marked).toEqual([true, false, false, true, false, false, true]);
  expect(prompt(context, "openai", "Be kind.").some(({ providerOptions }) => providerOptions)).toBe(false);
});

const TEXT = new TextEncoder();

test("an image is shown, a text is quoted, and what can't be shown is named", () => {
  const files: ContextFile[] = [
    { name: "a.png", type: "image/png", bytes: new Uint8Array([1, 2]) },
    { name: 'my "notes".md', type: "application/octet-stream", bytes: TEXT.encode("# Grüße") },
    { name: "b.zip", type: "application/zip", bytes: new Uint8Array([80, 75, 0, 255]) },
  ];
  const [message] = prompt([person("Look.", files)], "anthropic");
  expect(message?.content).toEqual([
    {
      type: "file",
      filename: "a.png",
      mediaType: "image/png",
      data: { type: "data", data: new Uint8Array([1, 2]) },
    },
    {
      type: "text",
      text: [
        '<file name="my \\"notes\\".md">\n# Grüße\n</file>',
        '[The file "b.zip" (application/zip, 4 bytes) is attached, but this model can\'t be shown it.]',
        "Look.",
      ].join("\n\n"),
    },
  ]);
});

test.each<[WireKind, string]>([
  ["anthropic", "file"],
  ["openai", "file"],
  ["google", "file"],
  ["openai-compatible", "text"],
])("a PDF goes to %s as %s", (kind, type) => {
  const pdf = { name: "a.pdf", type: "application/pdf", bytes: new Uint8Array([37, 80, 68, 70, 0]) };
  expect(prompt([person("", [pdf])], kind)).toMatchObject([{ content: [{ type }] }]);
});

test("a text file that would fill any context is cut, and says so", () => {
  const long = { name: "log.txt", type: "text/plain", bytes: TEXT.encode("x".repeat(FILE_MAX_CHARS + 1)) };
  const text = JSON.stringify(prompt([person("", [long])]));
  expect(text.length).toBeLessThan(FILE_MAX_CHARS + 200);
  expect(text).toContain(`${FILE_MAX_CHARS} of ${FILE_MAX_CHARS + 1} characters`);
});
