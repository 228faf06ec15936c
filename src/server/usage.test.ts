import { describe, expect, it } from "vitest";
import { openServer, type OpenServer } from "../../test/open-server.ts";
import type { UsageReport } from "../protocol/http.ts";
import type { NewEvent, Usage } from "../session/event.ts";

describe("GET /api/usage", () => {
  it("tells what models used, in all and by whatever is asked for", async () => {
    const { server, session } = await used();
    const { by, total, items, next, uncounted } = await report(server, "");
    expect({ by, next, uncounted }).toEqual({ by: "day", next: null, uncounted: 0 });
    expect(total).toEqual({
      steps: 2,
      inputTokens: 110,
      cachedTokens: 30,
      outputTokens: 15,
      reasoningTokens: 4,
      cost: 0.5,
      unpricedSteps: 1,
      unpricedTokens: 15,
    });
    expect(items).toEqual([{ day: new Date().toISOString().slice(0, 10), ...total }]);
    const models = (await report(server, "?by=model")).items;
    expect(models).toMatchObject([
      { model: "openai/known", cost: 0.5, unpricedTokens: 0 },
      { model: null, cost: null, unpricedTokens: 15 },
    ]);
    expect((await report(server, "?by=profile")).items).toMatchObject([{ profile: "default", steps: 2 }]);
    expect((await report(server, "?by=session")).items).toMatchObject([
      { session, title: "Used", deleted: false, steps: 2 },
    ]);
    expect((await report(server, "?model=openai/known")).total.steps).toBe(1);
    expect((await report(server, "?since=2001-01-01&until=2001-12-31")).total).toMatchObject({
      steps: 0,
      cost: 0,
    });
    expect((await report(server, `?since=${new Date().toISOString()}`)).total.steps).toBe(2);
  });

  it("of a session has that of whoever works for it and not of its forks, and stays when it is deleted", async () => {
    const { server, session } = await used();
    await server.store.createSession(
      { id: "ses_child", profile: "helper", origin: { kind: "delegation", session } },
      { person: "owner" },
    );
    await append(server, "ses_child", step({ inputTokens: 1, outputTokens: 0, cost: 1 }));
    expect(await server.store.forkSession(session, undefined, "ses_fork", { person: "owner" })).toMatchObject(
      {
        ok: true,
      },
    );
    await append(server, "ses_fork", step({ inputTokens: 1_000, outputTokens: 0, cost: 1 }));
    expect((await report(server, `?session=${session}`)).total).toMatchObject({ steps: 3, cost: 1.5 });
    expect((await report(server, `?session=${session}&by=session`)).items).toHaveLength(2);
    expect((await report(server, "?session=ses_fork")).total).toMatchObject({ steps: 1, inputTokens: 1_000 });
    await server.store.deleteSession(session, { force: true });
    expect((await report(server, `?session=${session}`)).total).toMatchObject({ steps: 2 });
    expect((await report(server, "")).total.steps).toBe(4);
  });

  it("is paged, and says what is wrong with what it was asked", async () => {
    const { server } = await used();
    const first = await report(server, "?by=model&limit=1");
    const second = await report(server, `?by=model&limit=1&after=${first.next}`);
    expect([...first.items, ...second.items].map(({ model }) => model)).toEqual(["openai/known", null]);
    expect(second.next).toBeNull();
    expect(second.total).toEqual(first.total);
    for (const [query, path] of [
      ["?by=weekday", "by"],
      ["?since=yesterday", "since"],
      ["?since=2026-02-02&until=2026-02-01", "since"],
      ["?after=made-up", "after"],
      ["?by=model&after=2026-01-01", "after"],
      ["?limit=0", "limit"],
    ] as const) {
      const answer = await server.fetch(`/api/usage${query}`);
      expect([query, answer.status]).toEqual([query, 422]);
      expect(JSON.stringify(await answer.json())).toContain(path);
    }
    expect((await server.fetch("/api/usage?session=ses_none")).status).toBe(404);
  });
});

/** A step whose model has a price, and one that says neither. */
async function used(): Promise<{ server: OpenServer; session: string }> {
  const server = await openServer();
  const { id: session } = await server.newSession({ title: "Used" });
  const usage = { inputTokens: 100, outputTokens: 10, cachedTokens: 30, reasoningTokens: 4, cost: 0.5 };
  await append(server, session, step(usage, "openai/known"));
  await append(server, session, step({ inputTokens: 10, outputTokens: 5 }));
  return { server, session };
}

async function report(server: OpenServer, query: string): Promise<UsageReport> {
  const answer = await server.fetch(`/api/usage${query}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as UsageReport;
}

async function append(server: OpenServer, session: string, event: NewEvent): Promise<void> {
  const writer = { by: "client", author: { person: "owner" } } as const;
  expect(await server.store.append(session, [event], writer)).toMatchObject({ ok: true });
}

function step(usage: Usage, model?: string): NewEvent {
  const answer = { step: "s1", attempt: 1, message: [], usage };
  return { type: "step_completed", data: model === undefined ? answer : { ...answer, model } };
}
