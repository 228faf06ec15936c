// A process by its id, a unique beginning of it, or latest.
import type { Client, Process } from "../client/commands.ts";
import { findById } from "./find-by-id.ts";
import { Failure } from "./exit.ts";

const LOOKED_AT = 200;

export async function findProcess(client: Client, wanted: string): Promise<Process> {
  const { items } = await client.processes({ all: true, limit: LOOKED_AT });
  if (wanted !== "latest") return findById(items, wanted, "process");
  const [newest] = items;
  if (!newest) throw new Failure("not_found", "there is no process yet");
  return newest;
}
