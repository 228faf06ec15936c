import { expect, it } from "vitest";
import { Wakes } from "./wakes.ts";

const until = () => new AbortController();
const tick = () => new Promise((resolve) => setImmediate(resolve));

it("a reader is woken by what came before it waited, once for any number", async () => {
  const wakes = new Wakes();
  const { signal } = until();
  const reader = wakes.watch("a", signal);
  wakes.wake("a");
  wakes.wake("a");
  await tick();
  wakes.wake("a");
  await tick();
  expect(await reader.next()).toEqual({ done: false, value: undefined });
  let again = false;
  void reader.next().then(() => (again = true));
  await tick();
  expect(again).toBe(false);
});

it("one who wants facts only, and a list, sleep through drafts", async () => {
  const wakes = new Wakes();
  const [all, facts] = [wakes.watch("a", until().signal), wakes.watch("a", until().signal, "facts")];
  const list = wakes.changes(until().signal);
  let woken = 0;
  for (const waiting of [facts, list]) void waiting.next().then(() => (woken += 1));
  wakes.wake("a", "drafts");
  expect((await all.next()).done).toBe(false);
  await tick();
  expect(woken).toBe(0);
  wakes.wake("a", "facts");
  wakes.wake("a", "drafts");
  await tick();
  expect(woken).toBe(2);
});

it("a list that is slow hears of each log once, however often it changed", async () => {
  const wakes = new Wakes();
  const list = wakes.changes(until().signal);
  for (let n = 0; n < 5; n++) {
    for (const log of ["a", "b", "c"]) wakes.wake(log);
    await tick();
  }
  expect((await list.next()).value).toEqual(new Set(["a", "b", "c"]));
});

it("whoever has left is forgotten, and is told nothing more", async () => {
  const wakes = new Wakes();
  const leaving = until();
  const reader = wakes.watch("a", leaving.signal);
  const staying = wakes.watch("b", until().signal);
  expect([...wakes.watched()]).toEqual(["a", "b"]);
  leaving.abort();
  expect([...wakes.watched()]).toEqual(["b"]);
  wakes.wake("a");
  await tick();
  expect((await reader.next()).done).toBe(true);
  await staying.return?.();
  expect([...wakes.watched()]).toEqual([]);
});

it("missed hints wake all readers, and closing ends them", async () => {
  const wakes = new Wakes();
  const readers = ["a", "b"].map((log) => wakes.watch(log, until().signal));
  const guard = wakes.revocations(until().signal);
  wakes.wakeAll();
  await tick();
  for (const reader of readers) expect((await reader.next()).done).toBe(false);
  wakes.revoked("tok_1");
  wakes.revoked("tok_2");
  expect([(await guard.next()).value, (await guard.next()).value]).toEqual(["tok_1", "tok_2"]);
  wakes.close();
  for (const waiting of [...readers, guard, wakes.changes(until().signal)])
    expect((await waiting.next()).done).toBe(true);
});
