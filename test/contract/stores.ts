// One suite for both stores: forEachStore() runs the same promises on SQLite and on PostgreSQL. A test owns its data
// (an empty store), its clock and its ids; whatever it opened is closed after it.
//
// One dialect alone: npx vitest run --project contract -t sqlite
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, inject } from "vitest";
import { makeIds, type Ids } from "../../src/session/ids.ts";
import type { Store } from "../../src/store/store.ts";
import { createDatabase } from "../postgres.ts";

// The writer's thread of SQLite loads its modules for each store; with a cache that takes half the time.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "holdfast-compile-cache");

export type Dialect = Store["dialect"];

export type Harness = {
  readonly dialect: Dialect;
  readonly clock: TestClock;
  readonly ids: Ids;
  /** A store on this test's own data, which is empty before the first. */
  open: () => Promise<Store>;
  /**
   * Another node on the same data. PostgreSQL has it beside `store`, which stays open; SQLite has one owner at a time,
   * so `store` is closed first.
   */
  another: (store: Store) => Promise<Store>;
  /** Closes it as a test's own step; closing twice is fine. */
  close: (store: Store) => Promise<void>;
};

/** Milliseconds that stand still until a test moves them. */
export type TestClock = { now: () => number; iso: () => string; advance: (ms: number) => void };

export function forEachStore(define: (harness: Harness) => void): void {
  for (const dialect of ["sqlite", "postgres"] as const) {
    describe(`on ${dialect}`, () => {
      const clock = makeClock();
      const ids = makeSteadyIds(clock);
      let data: Data | undefined;
      const stores = new Set<Store>();

      const open = async (): Promise<Store> => {
        data ??= await makeData[dialect]();
        const store = await data.open({
          node: ids.next("nod"),
          host: "test-host",
          clock: () => clock.now(),
          ids,
        });
        stores.add(store);
        return store;
      };
      const close = async (store: Store): Promise<void> => {
        if (stores.delete(store)) await store.close();
      };
      const harness: Harness = {
        dialect,
        clock,
        ids,
        open,
        close,
        async another(store) {
          if (dialect === "sqlite") await close(store);
          return open();
        },
      };

      beforeEach(() => {
        clock.reset();
        ids.reset();
      });
      afterEach(async () => {
        for (const store of stores) await close(store);
        await data?.remove();
        data = undefined;
      });
      define(harness);
    });
  }
}

type Opening = { node: string; host: string; clock: () => number; ids: Ids };
type Data = { open(opening: Opening): Promise<Store>; remove(): Promise<void> };

// The implementations are imported when they are needed, so that work on one never waits for the other to load.
const makeData: Record<Dialect, () => Promise<Data>> = {
  async sqlite() {
    const { openSqliteStore } = await import("../../src/store/sqlite/store.ts");
    const folder = await mkdtemp(join(tmpdir(), "holdfast-contract-"));
    return {
      open: (opening) => openSqliteStore({ file: join(folder, "holdfast.db"), ...opening }),
      remove: () => rm(folder, { recursive: true }),
    };
  },
  async postgres() {
    const { openPostgresStore } = await import("../../src/store/postgres/store.ts");
    const database = await createDatabase(inject("postgresUrl"));
    return {
      open: (opening) =>
        openPostgresStore({ database: database.url, ...opening, decidingClock: opening.clock }),
      remove: () => database.drop(),
    };
  },
};

function makeClock(): TestClock & { reset(): void } {
  const begin = Date.parse("2026-11-15T09:00:00.000Z");
  let now = begin;
  return {
    now: () => now,
    iso: () => new Date(now).toISOString(),
    advance(ms) {
      now += ms;
    },
    reset() {
      now = begin;
    },
  };
}

/** Ids that differ though time stands still, and are the same in every run. */
function makeSteadyIds({ now }: TestClock): Ids & { reset(): void } {
  let made = 0;
  const ids = makeIds(now, (count) => {
    made += 1;
    const bytes = new Uint8Array(count);
    for (let i = count - 1, rest = made; i >= 0; i--, rest = Math.floor(rest / 32)) bytes[i] = rest % 32;
    return bytes;
  });
  return {
    next: (prefix) => ids.next(prefix),
    reset() {
      made = 0;
    },
  };
}
