// A log with a damaged event, as a disk would leave it: what stands before it is served, and the rest is called damaged.
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ON_POSTGRES, openServer, type OpenServer } from "../../test/open-server.ts";
import type { AnyEvent } from "../session/event.ts";
import { formatPosition } from "../session/position.ts";
import { DamagedEvent } from "../store/store.ts";

// The texts are damaged in SQLite's file; what is made of it is the same code for both.
describe.skipIf(ON_POSTGRES)("a log with a damaged event", () => {
  test("is read up to it, and from there on answers with the code damaged", async () => {
    const { server, id } = await damaged();
    const first = await server.fetch(`/api/sessions/${id}/events?offset=-1`);
    expect(first.status).toBe(200);
    expect(((await first.json()) as AnyEvent[]).map(({ position }) => position)).toEqual([
      formatPosition(1, 0),
      formatPosition(2, 0),
    ]);
    expect(first.headers.get("stream-up-to-date")).toBeNull();
    const next = await server.fetch(
      `/api/sessions/${id}/events?offset=${first.headers.get("stream-next-offset")}`,
    );
    await expectDamaged(next, id);
  });

  test("has no view, and takes no command that needs one", async () => {
    const { server, id } = await damaged();
    await expectDamaged(await server.fetch(`/api/sessions/${id}`), id);
    const now = { kind: "prompt", text: "and now?", delivery: "now" };
    const before = await server.store.head(id);
    await expectDamaged(
      await server.fetch(`/api/sessions/${id}/inputs`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(now),
      }),
      id,
    );
    expect(await server.store.head(id)).toEqual(before);
  });

  test("admits nothing once it was found: what is sent is refused, under its key too, and nothing is queued", async () => {
    const { server, id } = await damaged();
    const socket = await server.socket();
    socket.send({ op: "attach", session: id });
    await socket.next("error");
    const before = await server.store.head(id);
    const send = () =>
      server.fetch(`/api/sessions/${id}/inputs`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "fourth" },
        body: JSON.stringify({ kind: "prompt", text: "fourth" }),
      });
    await expectDamaged(await send(), id);
    await expectDamaged(await send(), id);
    expect(await server.store.head(id)).toEqual(before);
    expect(await server.store.session(id, "owner")).toMatchObject({ queued: 3 });
  });

  test("takes what is sent as soon as its event is well again", async () => {
    const { server, id, mend } = await damaged();
    await expectDamaged(await server.fetch(`/api/sessions/${id}`), id);
    const send = (expected: number) =>
      server.call("POST", `/api/sessions/${id}/inputs`, { kind: "prompt", text: "fourth" }, expected);
    await send(500);
    mend();
    await send(202);
    expect(await server.store.session(id, "owner")).toMatchObject({ queued: 4 });
    expect(await server.call("GET", "/api/sessions")).toMatchObject({ items: [{ id, status: "queued" }] });
  });

  test("that an executor found calls for a person in every list, at once", async () => {
    const { server, id } = await damaged();
    const socket = await server.socket();
    socket.send({ op: "watch", topic: "sessions" });
    expect(await socket.next("rows")).toMatchObject({ rows: [{ id, status: "queued", attention: null }] });
    server.foundDamage(new DamagedEvent(id, formatPosition(3, 0)));
    const row = { id, status: "idle", attention: { kind: "failed", count: 1 } };
    expect(await socket.next("rows")).toMatchObject({ rows: [row], whole: false });
    expect(await server.call("GET", "/api/sessions")).toMatchObject({ items: [row] });
  });

  test("is called damaged to who attaches, who need not try again", async () => {
    const { server, id } = await damaged();
    const socket = await server.socket();
    socket.send({ op: "attach", session: id });
    expect(await socket.next("error")).toMatchObject({ code: "damaged", session: id });
  });
});

/** Three inputs, of which the second is not what was written. */
async function damaged(): Promise<{ server: OpenServer; id: string; mend: () => void }> {
  const server = await openServer();
  const { id } = await server.newSession();
  for (const text of ["first", "second", "third"])
    await server.store.append(
      id,
      [{ type: "input_admitted", data: { input: `inp_${text}`, kind: "prompt", text } }],
      { by: "client", author: { person: "owner" } },
    );
  const replace = (from: string, to: string) => {
    const file = new DatabaseSync(join(server.folder, "holdfast.db"), { timeout: 5_000 });
    const { changes } = file
      .prepare("update event set text = replace(text, ?1, ?2) where seq = 3 and instr(text, ?1) > 0")
      .run(from, to);
    file.close();
    expect(changes).toBe(1);
  };
  replace("second", "SECOND");
  return { server, id, mend: () => replace("SECOND", "second") };
}

async function expectDamaged(answer: Response, log: string): Promise<void> {
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ code: "damaged", log, position: formatPosition(3, 0) });
}
