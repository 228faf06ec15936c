// Sessions as they were written before what they used was counted, and what that was.
import { expect } from "vitest";
import type { NewEvent, Usage } from "../src/session/event.ts";
import type { Store, UsageSum } from "../src/store/store.ts";

const owner = { person: "owner" };
const byOwner = { by: "client", author: owner } as const;
const STEPS = 150;

/** Two sessions, one of them with facts for several slices, and a fork of that; one model has a price. */
export async function useModels(store: Store): Promise<void> {
  for (const id of ["ses_a", "ses_b"])
    await store.createSession({ id, profile: id === "ses_a" ? "default" : "coder" }, owner);
  for (let n = 0; n < STEPS; n += 50)
    await store.append(
      "ses_a",
      Array.from({ length: 50 }, (_, m) =>
        step(n + m, "m1", { inputTokens: 2, outputTokens: 1, cost: 0.5 }),
      ).flat(),
      byOwner,
    );
  await store.append("ses_a", step(STEPS, "m2", { inputTokens: 7, outputTokens: 0 }), byOwner);
  await store.append("ses_a", [{ type: "turn_ended", data: { turn: "t", outcome: "completed" } }], byOwner);
  await store.append("ses_b", step(1, "free", { inputTokens: 10, outputTokens: 5, cost: 0 }), byOwner);
  const forked = await store.forkSession("ses_a", undefined, "ses_f", owner);
  expect(forked).toMatchObject({ ok: true });
}

/** Once all of it is counted. */
export async function expectCounted(store: Store): Promise<void> {
  await expect.poll(async () => (await report(store)).uncounted).toBe(0);
  const { total, rows } = await report(store);
  expect(total).toMatchObject({
    steps: STEPS + 2,
    inputTokens: 317,
    unpricedTokens: 7,
  } satisfies Partial<UsageSum>);
  expect(rows.items.map(({ key, steps, cost }) => [key, steps, cost])).toEqual([
    ["m1", STEPS, 75],
    ["free", 1, 0],
    ["m2", 1, null],
  ]);
  const costs = ["ses_a", "ses_b", "ses_f"].map(async (id) => (await store.session(id, "owner"))?.usage);
  expect(await Promise.all(costs)).toMatchObject([
    { cost: 75, unpricedTokens: 7 },
    { cost: 0, unpricedTokens: 0 },
    { inputTokens: 0, cost: 0, unpricedTokens: 0 },
  ]);
}

export function report(store: Store) {
  return store.usage({ by: "model", limit: 10 });
}

/** As older servers wrote it: only the start of a step says which model it is. */
export function step(n: number, model: string, usage: Usage): NewEvent[] {
  return [
    { type: "step_started", data: { turn: "t", step: `s${n}`, attempt: 1, model } },
    { type: "step_completed", data: { step: `s${n}`, attempt: 1, message: [], usage } },
  ];
}
