// A copy takes a while, and others go on meanwhile: with deleting what is copied, for one.
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { ids, newSession, openNode, owner } from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";
import { AsideTexts } from "./aside-texts.ts";
import type { Context } from "./context.ts";
import { Database, type Transaction } from "./database.ts";
import { forkSession } from "./fork-session.ts";
import { Health } from "./health.ts";
import { LeaseClock } from "./lease-clock.ts";

const url = await useDatabase();
const [other, watcher] = [new pg.Client(url), new pg.Client(url)];
await Promise.all([other.connect(), watcher.connect()]);
afterAll(() => Promise.all([other.end(), watcher.end()]));

it("a fork of a session that is deleted meanwhile is refused as one that is not there, and leaves nothing", async () => {
  const store = await openNode(url);
  const [session, fork] = [await newSession(store), ids.next("ses")];
  await other.query("begin");
  await other.query(rowLike, [fork, session]); // holds the fork up between its copy and its end
  const forked = store.forkSession(session, undefined, fork, owner);
  await untilSomeoneWaits();
  expect(await store.deleteSession(session, { force: true })).toEqual({ ok: true });
  await other.query("rollback");
  expect(await forked).toEqual({ ok: false, code: "not_found" });
  expect(await store.head(fork)).toBeUndefined();
  expect((await store.check()).problems).toEqual([]);
});

it("a fork keeps its long texts, though the original is deleted and tidied away just before it is committed", async () => {
  const store = await openNode(url);
  const [session, fork] = [await newSession(store), ids.next("ses")];
  const bytes = Buffer.from("a text that the fork has too");
  const { blob } = await store.putBlob(session, bytes);
  const database = new LateDatabase(url, "nod_late", new Health());
  const forked = forkSession(contextOf(database), session, undefined, fork, owner);
  await database.before.promise;
  await store.deleteSession(session, { force: true });
  const tidied = store.tidy();
  await untilSomeoneWaits();
  database.go.resolve();
  expect(await forked).toMatchObject({ ok: true });
  await tidied;
  expect(await store.blob(blob)).toEqual(bytes);
  await database.close();
});

/** Its transactions wait before they are committed. */
class LateDatabase extends Database {
  readonly before = Promise.withResolvers<void>();
  readonly go = Promise.withResolvers<void>();

  override transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: Parameters<Database["transaction"]>[1],
  ): Promise<T> {
    return super.transaction(async (transaction) => {
      const outcome = await work(transaction);
      this.before.resolve();
      await this.go.promise;
      return outcome;
    }, options);
  }
}

function contextOf(database: Database): Context {
  return {
    database,
    asides: new AsideTexts(database),
    node: "nod_late",
    host: "test-host",
    ids,
    clock: Date.now,
    now: () => null,
    leaseClock: new LeaseClock(database, false),
    trustsLocks: () => true,
    changed: () => {},
    revoked: () => {},
  };
}

/** Under this id. */
const rowLike = `insert into session (id, profile, title_words, created_at, updated_at, updated_hour,
    recovering, held, failed, ended, messages, tools, queued, approvals, questions, input_tokens, output_tokens, cost)
  select $1, profile, title_words, created_at, updated_at, updated_hour,
    recovering, held, failed, ended, messages, tools, queued, approvals, questions, input_tokens, output_tokens, cost
  from session where id = $2`;

async function untilSomeoneWaits(): Promise<void> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0";
  await expect
    .poll(async () => (await watcher.query(waiting)).rowCount, { timeout: 3_000 })
    .toBeGreaterThan(0);
}
