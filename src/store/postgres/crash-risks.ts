// How this database is set where that lets a crash take what was written: doctor names it, since nothing else would.
import pg from "pg";
import { connectionTo } from "./database.ts";
import { storageFault } from "./fault.ts";

type Found = { fsync: string; waits: string };

/** On a connection as the database gives it, before anything is set on it. */
export async function crashRisks(url: string, node: string): Promise<string[]> {
  const client = new pg.Client(connectionTo(url, node));
  client.on("error", () => {}); // whatever is lost shows itself in the statement that waits for it
  try {
    await client.connect();
    const { rows } = await client.query<Found>(
      "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as waits",
    );
    return rows.flatMap(({ fsync, waits }) => [
      ...(fsync === "off"
        ? [
            "fsync is off in PostgreSQL: when its machine goes down, what was acknowledged can be lost or damaged",
          ]
        : []),
      ...(waits === "off"
        ? [
            "synchronous_commit is off in PostgreSQL: Holdfast turns it on for what it writes, no one else does",
          ]
        : []),
    ]);
  } catch (error) {
    throw storageFault(error);
  } finally {
    await client.end();
  }
}
