import type { ScriptedServer } from "../test/scripted-server.ts";
import { picturedSessions, type SessionName } from "./pictured-sessions.ts";

/** The moment of every picture. */
export const PICTURE_NOW = Date.parse("2026-11-12T14:32:10Z");

/** All sessions side by side in the order of their times, as if the clock had run through them. */
export async function playPictures(server: ScriptedServer): Promise<Record<SessionName, string>> {
  const sessions = picturedSessions();
  const entries = sessions.flatMap(({ beganMs, script }, n) => {
    let agoMs = beganMs;
    return script.entries.map(({ event, afterMs }, i) => ({ n, i, event, agoMs: (agoMs -= afterMs) }));
  });
  const ids: string[] = [];
  for (const { n, i, event, agoMs } of entries.toSorted((a, b) => b.agoMs - a.agoMs)) {
    const { title, seen } = sessions[n]!;
    await server.stopClock(PICTURE_NOW - agoMs); // or a duration would be a second shorter now and then
    const id = (ids[n] ??= await server.create(title));
    const by = event.type === "input_admitted" ? "owner" : "executor";
    const position = await server.append(id, [event], by);
    if (event.type !== "draft" && i < seen) await server.see(id, position);
  }
  await server.setClock(Date.now() - PICTURE_NOW);
  return Object.fromEntries(sessions.map(({ name }, n) => [name, ids[n]])) as Record<SessionName, string>;
}
