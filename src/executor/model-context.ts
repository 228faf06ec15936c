// From the folded context to what the driver sends: long texts are fetched, files opened. Nothing is cut here.
import type { ContextFile, ContextMessage, WholePiece } from "../driver/driver.ts";
import type { ContextEntry } from "../session/context.ts";
import type { Attachment, LongText, Piece } from "../session/event.ts";
import type { Store } from "../store/store.ts";

type Blobs = Pick<Store, "blob" | "file">;

export async function modelContext(
  store: Blobs,
  entries: readonly ContextEntry[],
): Promise<ContextMessage[]> {
  const messages: ContextMessage[] = [];
  for (const entry of entries) messages.push(await messageOf(store, entry));
  return messages;
}

async function messageOf(store: Blobs, entry: ContextEntry): Promise<ContextMessage> {
  switch (entry.role) {
    case "person":
      return {
        role: "person",
        text: await whole(store, entry.text),
        files: await filesOf(store, entry.attachments),
      };
    case "agent":
      return {
        role: "agent",
        pieces: await Promise.all(entry.pieces.map((piece) => wholePiece(store, piece))),
      };
    case "tool": {
      const { call, name, status } = entry;
      return { role: "tool", call, name, status, result: await whole(store, entry.result) };
    }
  }
}

async function whole(store: Blobs, text: LongText): Promise<string> {
  if (typeof text === "string") return text;
  const bytes = await store.blob(text.blob);
  // A blob is committed before what names it, so a missing one is damage; how it begins is better than nothing.
  return bytes
    ? bytes.toString("utf8")
    : `${text.preview}\n[the rest of this text is missing from the store]`;
}

async function wholePiece(store: Blobs, piece: Piece): Promise<WholePiece> {
  return piece.type === "text" || piece.type === "reasoning"
    ? { ...piece, text: await whole(store, piece.text) }
    : piece;
}

async function filesOf(store: Blobs, attachments: readonly Attachment[]): Promise<ContextFile[]> {
  const files: ContextFile[] = [];
  for (const { file, name, type } of attachments) {
    const stored = await store.file(file);
    if (!stored) continue; // pruned since; the text still names it
    const chunks: Buffer[] = [];
    for await (const chunk of stored.read()) chunks.push(chunk);
    files.push({ name, type, bytes: Buffer.concat(chunks) });
  }
  return files;
}
