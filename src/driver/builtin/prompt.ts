// What the model is told, in the SDK's words.
import type { ContextMessage, StepRequest, WholePiece } from "../driver.ts";
import { markCachePoints } from "./cache-points.ts";
import type { WireKind } from "./endpoint.ts";
import { filePart, type UserPart } from "./files.ts";
import type { Prompt, PromptMessage } from "./model.ts";
import { isRecord, readProviderData } from "./provider-data.ts";

type AgentPart = Extract<PromptMessage, { role: "assistant" }>["content"][number];
type ToolPart = Extract<PromptMessage, { role: "tool" }>["content"][number];

export function promptOf({ instructions, context }: StepRequest, kind: WireKind): Prompt {
  const prompt: Prompt = instructions.trim() === "" ? [] : [{ role: "system", content: instructions }];
  const ids = new WireIds(kind);
  for (const message of context) {
    switch (message.role) {
      case "person":
        addPerson(prompt, message, kind);
        break;
      case "agent": {
        const content = message.pieces.flatMap((piece) => agentParts(piece, kind, ids));
        if (content.length > 0) prompt.push({ role: "assistant", content });
        break;
      }
      case "tool":
        addResult(prompt, message, ids);
        break;
    }
  }
  if (kind === "anthropic") markCachePoints(prompt);
  return prompt;
}

/** What people said in a row is one message: some models' templates want the roles to take turns. */
function addPerson(
  prompt: Prompt,
  { text, files }: Extract<ContextMessage, { role: "person" }>,
  kind: WireKind,
): void {
  const last = prompt.at(-1);
  const content = last?.role === "user" ? last.content : [];
  for (const file of files) addUserPart(content, filePart(file, kind));
  if (text !== "") addUserPart(content, { type: "text", text });
  if (last?.role !== "user" && content.length > 0) prompt.push({ role: "user", content });
}

/** Texts in a row are one text: some servers take no list of parts. */
function addUserPart(content: UserPart[], part: UserPart): void {
  const last = content.at(-1);
  if (part.type === "text" && last?.type === "text") last.text += `\n\n${part.text}`;
  else content.push(part);
}

/** The results of one step are one message: Gemini counts them against its calls. */
function addResult(prompt: Prompt, message: Extract<ContextMessage, { role: "tool" }>, ids: WireIds): void {
  const part: ToolPart = {
    type: "tool-result",
    toolCallId: ids.of(message.call),
    toolName: message.name,
    output: { type: message.status === "ok" ? "text" : "error-text", value: message.result },
  };
  const last = prompt.at(-1);
  if (last?.role !== "tool") prompt.push({ role: "tool", content: [part] });
  else last.content.push(part);
}

function agentParts(piece: WholePiece, kind: WireKind, ids: WireIds): AgentPart[] {
  switch (piece.type) {
    case "text":
    case "reasoning": {
      const { options } = readProviderData(piece.provider);
      if (piece.type === "reasoning" && kind === "openai" && !isSealed(options)) return [];
      if (piece.text === "" && !options) return [];
      return [{ type: piece.type, text: piece.text, ...(options && { providerOptions: options }) }];
    }
    case "call": {
      const { id, options } = readProviderData(piece.provider);
      return [
        {
          type: "tool-call",
          toolCallId: ids.name(piece.call, id),
          toolName: piece.name,
          input: piece.args,
          ...(options && { providerOptions: options }),
        },
      ];
    }
    case "custom":
      return customParts(piece.value);
  }
}

/** OpenAI keeps nothing for us, and looks in vain for a thought that comes back by its number alone. */
function isSealed(options: ReturnType<typeof readProviderData>["options"]): boolean {
  return typeof options?.["openai"]?.["reasoningEncryptedContent"] === "string";
}

function customParts(value: unknown): AgentPart[] {
  if (!isRecord(value) || typeof value["kind"] !== "string" || !isCustomKind(value["kind"])) return [];
  const { options } = readProviderData(value);
  return [{ type: "custom", kind: value["kind"], ...(options && { providerOptions: options }) }];
}

function isCustomKind(kind: string): kind is `${string}.${string}` {
  return /.\../.test(kind);
}

/**
 * Calls under the ids that their provider gave them, where the one that is asked now takes those. It may be another
 * one: Anthropic wants each id once in all and of plain characters, OpenAI at most 64 of them.
 */
class WireIds {
  #kind: WireKind;
  #byCall = new Map<string, string>();
  #used = new Set<string>();

  constructor(kind: WireKind) {
    this.#kind = kind;
  }

  name(call: string, given: string | undefined): string {
    const own = call.replaceAll(/[^\w-]/g, "_").slice(-64);
    const fits = given !== undefined && /^[\w-]{1,64}$/.test(given) && !this.#used.has(given);
    // A compatible server may read meaning into its ids, and does not mind to see one twice: it said so itself.
    const id = given !== undefined && (fits || this.#kind === "openai-compatible") ? given : own;
    this.#used.add(id);
    this.#byCall.set(call, id);
    return id;
  }

  of(call: string): string {
    return this.#byCall.get(call) ?? this.name(call, undefined);
  }
}
