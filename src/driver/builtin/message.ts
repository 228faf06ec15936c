// A message in the making: pieces get their number when they first have something to say, and keep it. The number is
// what a draft and the finished message share.
import { brokenArgs, type Delta, type WholePiece } from "../driver.ts";
import type { ProviderOptions } from "./model.ts";
import { isRecord, mergeOptions, type ProviderData } from "./provider-data.ts";

type PieceInMaking = {
  type: "text" | "reasoning" | "call";
  /** Null until it has something to say: a piece that never has is none. */
  number: number | null;
  text: string;
  options: ProviderOptions | undefined;
  /** A call's tool and the provider's id of it. */
  name: string;
  id: string;
};

/** What no answer that makes sense comes near to; beyond it a provider is broken. */
export const MESSAGE_MAX_CHARS = 8 * 1024 * 1024;
export const PIECES_MAX = 1_000;

export class MessageInMaking {
  #step: string;
  #said: (delta: Delta) => void;
  #pieces: (PieceInMaking | { type: "custom"; value: unknown })[] = [];
  /** By the provider's id, each kind apart: asked for every token, so no key is put together. */
  #open: Record<PieceInMaking["type"], Map<string, PieceInMaking>> = {
    text: new Map(),
    reasoning: new Map(),
    call: new Map(),
  };
  #chars = 0;

  constructor(step: string, said: (delta: Delta) => void) {
    this.#step = step;
    this.#said = said;
  }

  get tooLong(): boolean {
    return this.#chars > MESSAGE_MAX_CHARS || this.#pieces.length > PIECES_MAX;
  }

  /** Ids come again: some providers call every text of an answer the same. */
  open(type: "text" | "reasoning", id: string, options: ProviderOptions | undefined): void {
    this.#open[type].set(id, { type, number: null, text: "", options, name: "", id });
  }

  grow(type: "text" | "reasoning", id: string, text: string, options: ProviderOptions | undefined): void {
    const piece = this.#open[type].get(id);
    if (!piece) return this.#begin(type, id, text, options);
    if (options) piece.options = mergeOptions(piece.options, options);
    if (text !== "") this.#say(piece, text);
  }

  close(type: "text" | "reasoning", id: string, options: ProviderOptions | undefined): void {
    const piece = this.#open[type].get(id);
    if (!piece) return;
    piece.options = mergeOptions(piece.options, options);
    if (piece.options) this.#number(piece); // wordless, but the provider wants it back
    this.#open[type].delete(id);
  }

  openCall(id: string, name: string, options: ProviderOptions | undefined): void {
    const piece: PieceInMaking = { type: "call", number: null, text: "", options, name, id };
    this.#open.call.set(id, piece);
    this.#number(piece);
  }

  growCall(id: string, text: string): void {
    const piece = this.#open.call.get(id);
    if (piece && text !== "") this.#say(piece, text);
  }

  /** With the arguments whole, which count more than their stretches. */
  closeCall(id: string, name: string, args: string, options: ProviderOptions | undefined): void {
    if (!this.#open.call.has(id)) this.openCall(id, name, undefined);
    const piece = this.#open.call.get(id);
    if (!piece) return;
    if (piece.text === "" && args !== "") this.#say(piece, args);
    piece.name = name;
    piece.text = args;
    piece.options = mergeOptions(piece.options, options);
  }

  /** The provider's own affair, to be given back. */
  custom(kind: string, options: ProviderOptions | undefined): void {
    this.#pieces.push({ type: "custom", value: { kind, ...(options && { options }) } });
  }

  /** Said by us, in the message's place. */
  remark(text: string): void {
    this.#begin("text", `remark ${this.#pieces.length}`, text, undefined);
  }

  /** `isCut`: it was ended at a limit, wherever it was then. */
  finished(isCut = false): WholePiece[] {
    return this.#pieces.map((piece, number, { length }): WholePiece => {
      if (piece.type === "custom") return piece;
      const data: ProviderData = {
        ...(piece.type === "call" && { id: piece.id }),
        ...(piece.options && { options: piece.options }),
      };
      const provider = Object.keys(data).length > 0 ? { provider: data } : {};
      if (piece.type !== "call") return { type: piece.type, text: piece.text, ...provider };
      return {
        type: "call",
        call: `${this.#step}-${number}`,
        name: piece.name,
        args: isCut && number === length - 1 ? cutArgsOf(piece.text) : argsOf(piece.text),
        ...provider,
      };
    });
  }

  #begin(type: "text" | "reasoning", id: string, text: string, options: ProviderOptions | undefined): void {
    this.open(type, id, options);
    if (text !== "" || options) this.grow(type, id, text, options);
  }

  #say(piece: PieceInMaking, text: string): void {
    const first = piece.text === "";
    piece.text += text;
    this.#chars += text.length;
    const number = this.#number(piece);
    if (piece.type !== "call") this.#said({ piece: number, kind: piece.type, text });
    else this.#said({ piece: number, kind: "args", text, ...(first && { name: piece.name }) });
  }

  #number(piece: PieceInMaking): number {
    piece.number ??= this.#pieces.push(piece) - 1;
    return piece.number;
  }
}

/** None at all may be the beginning of some, whichever way the SDK writes it: to run that would be a guess. */
function cutArgsOf(text: string): unknown {
  return ["", "{}"].includes(text.trim()) ? brokenArgs("") : argsOf(text);
}

/** No arguments at all are an empty object, as most providers write it for a tool that takes none. */
function argsOf(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const args: unknown = JSON.parse(text);
    return isRecord(args) ? args : brokenArgs(text);
  } catch {
    return brokenArgs(text); // the executor tells the model
  }
}
