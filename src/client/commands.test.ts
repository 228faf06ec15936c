import { expect, onTestFinished, test, vi } from "vitest";
import { openServer, TOKEN, type OpenServer } from "../../test/open-server.ts";
import type { NewEvent } from "../session/event.ts";
import { createClient } from "./commands.ts";
import { connect } from "./connect.ts";
import { ProblemError } from "./errors.ts";

test("asks that are open come whole, then as they come and go, and are answered once", async () => {
  const server = await openServer();
  const { id: session } = await server.newSession();
  await append(server, session, approval("ask_1"));
  const client = createClient({ url: server.url, token: TOKEN });
  const socket = connect(client);
  onTestFinished(() => socket.close());
  const open = new Set<string>();
  socket.watchAsks(({ rows, gone = [], whole }) => {
    if (whole) open.clear();
    for (const { id } of rows) open.add(id);
    for (const id of gone) open.delete(id);
  });
  await vi.waitFor(() => expect([...open]).toEqual(["ask_1"]));
  await append(server, session, approval("ask_2"));
  await vi.waitFor(() => expect([...open]).toEqual(["ask_1", "ask_2"]));

  expect(await client.answerAsk("ask_1", { choice: "once" })).toMatchObject({ state: "answered" });
  await vi.waitFor(() => expect([...open]).toEqual(["ask_2"]));
  const second = client.answerAsk("ask_1", { choice: "deny" });
  await expect(second).rejects.toThrow(ProblemError);
  await expect(second).rejects.toMatchObject({ code: "answered", problem: { ask: { id: "ask_1" } } });
  expect((await client.asks({ open: true })).items.map(({ id }) => id)).toEqual(["ask_2"]);
});

test("what waits is edited, moved, withdrawn and released; a stop is asked for", async () => {
  const server = await openServer();
  const { id: session } = await server.newSession();
  const client = createClient({ url: server.url, token: TOKEN });
  const send = async (text: string) =>
    (await client.admitInput(session, { kind: "prompt", text })).input ?? "";
  const [a, b, c] = [await send("a"), await send("b"), await send("c")];
  await client.patchInput(session, b, { text: "better", before: a });
  await client.withdrawInput(session, c);
  await client.withdrawInput(session, c);
  const { view } = await client.session(session);
  expect(view.queue.map(({ text }) => text)).toEqual(["better", "a"]);
  expect(await client.releaseQueue(session)).toMatchObject({ released: false });
  expect(await client.stop(session)).toMatchObject({ stopped: false });
  await expect(client.retry(session)).rejects.toMatchObject({ code: "conflict" });
  await expect(client.regenerate(session)).rejects.toMatchObject({ code: "conflict" });
});

const approval = (ask: string): NewEvent => ({
  type: "ask_opened",
  data: { ask, kind: "approval", title: "may I" },
});

async function append({ store }: OpenServer, session: string, event: NewEvent): Promise<void> {
  expect(await store.append(session, [event], { by: "client", author: { person: "owner" } })).toMatchObject({
    ok: true,
  });
}
