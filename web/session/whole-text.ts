import type { Client } from "../../src/client/commands.ts";
import type { LongText } from "../../src/session/event.ts";

/** A long text lies apart from its event, which has only how it begins. */
export async function wholeText(client: Pick<Client, "blob">, text: LongText): Promise<string> {
  return typeof text === "string" ? text : (await client.blob(text.blob)).text();
}
