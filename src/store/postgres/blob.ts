// Long texts apart from their events, named after their bytes: the same text is kept once, and putting it again after
// a crash changes nothing.
import { createHash } from "node:crypto";
import type { BlobInfo, LogId } from "../store.ts";
import { NOW_MS } from "./clock.ts";
import type { Database } from "./database.ts";

export async function putBlob(database: Database, log: LogId, bytes: Uint8Array): Promise<BlobInfo> {
  const blob = createHash("sha256").update(bytes).digest("hex");
  await database.query({
    text: `with kept as (
        insert into blob (id, bytes) values ($1, $2) on conflict (id) do update set puts = blob.puts + 1)
      insert into log_blob (log, blob, at) values ($3, $1, ${NOW_MS}) on conflict do nothing`,
    values: [blob, Buffer.from(bytes), log],
  });
  return { blob, bytes: bytes.byteLength };
}

export async function readBlob(database: Database, id: string): Promise<Buffer | undefined> {
  const [blob] = await database.query<{ bytes: Buffer }>({
    text: "select bytes from blob where id = $1",
    values: [id],
  });
  return blob?.bytes;
}
