import { expect, it } from "vitest";
import { StorageError, type LostSession, type Store } from "../store/store.ts";
import { tellLost } from "./tell-lost.ts";

it("a session that can't be told of keeps no other from being told of, and is told of at the next look", async () => {
  const told: string[] = [];
  const fault = new StorageError("broken", "no room in this log");
  const store: Pick<Store, "lostSessions" | "append"> = {
    lostSessions: async (): Promise<LostSession[]> =>
      ["ses_a", "ses_bad", "ses_b"].map((session) => ({ session, epoch: 1, seq: 3 })),
    append: async (log) => {
      if (log === "ses_bad") throw fault;
      told.push(log);
      return { ok: false, code: "not_found" };
    },
  };
  await expect(tellLost(store)).rejects.toBe(fault);
  expect(told).toEqual(["ses_a", "ses_b"]);
});
