import pg from "pg";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { byOwner, newSession, openNode } from "../../../test/open-postgres.ts";
import type { NewEvent } from "../../session/event.ts";
import { createDatabase, type Database } from "../../../test/postgres.ts";
import { migrate, MIGRATIONS, type Migration } from "./migrate.ts";

let database: Database;
let raw: pg.Client;

beforeEach(async () => {
  database = await createDatabase(inject("postgresUrl"));
  raw = new pg.Client({ connectionString: database.url });
  raw.on("error", () => {}); // it is terminated on purpose
  await raw.connect();
});
afterEach(async () => {
  await raw.end();
  await database.drop();
});

it("four nodes that start at once on an empty database make one store of it", async () => {
  const stores = await Promise.all(Array.from({ length: 4 }, () => openNode(database.url)));
  expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
  const { rows } = await raw.query("select number from migration");
  expect(rows).toHaveLength(MIGRATIONS.length);
  for (const store of stores) expect((await store.head(await newSession(store)))?.kind).toBe("session");
});

it("a migration that is killed, however far it had come, is done again whole by the next start", async () => {
  const [begin] = MIGRATIONS;
  const statements = (begin?.sql ?? "").split(/;\n/).filter((text) => text.trim() !== "");
  expect(statements.length).toBeGreaterThan(20);
  for (let killedAfter = 1; killedAfter <= statements.length; killedAfter += 7) {
    const client = new pg.Client({ connectionString: database.url });
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    await client.query("begin");
    for (const text of statements.slice(0, killedAfter)) await client.query(text);
    await raw.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
    await client.end();
  }
  const store = await openNode(database.url);
  expect(await store.check()).toEqual({ events: 0, damaged: [], problems: [] });
});

it("a second migration is applied to a database that has the first, once", async () => {
  await migrate(database.url, "one");
  const number = MIGRATIONS.length + 1;
  const next: Migration = { number, name: "next", breaking: false, sql: "create table next (n bigint)" };
  await Promise.all([1, 2, 3].map((n) => migrate(database.url, `node ${n}`, [...MIGRATIONS, next])));
  const { rows } = await raw.query<{ number: string }>("select number from migration order by number");
  expect(rows.map((row) => Number(row.number))).toEqual(
    [...MIGRATIONS, next].map((migration) => migration.number),
  );
});

it("rows from when their status was a column are listed as before, and in the hour in which they last moved", async () => {
  await migrate(
    database.url,
    "one",
    MIGRATIONS.filter(({ number }) => number < 6),
  );
  const hours = 400_000;
  const row = (id: string, atMs: number, state: string) =>
    `insert into session (id, profile, title_words, created_at, updated_at, recovering, failed, ended, messages, tools,
        approvals, questions, input_tokens, output_tokens, cost, turn, queued, held)
      values ('${id}', 'default', '', ${atMs}, ${atMs}, false, false, false, 0, 0, 0, 0, 0, 0, 0, ${state})`;
  for (const [n, state] of ["'t', 0, false", "null, 1, false", "null, 1, true"].entries()) {
    await raw.query(`insert into log (id, kind, seq, sub, touched) values ('ses_${n}', 'session', 1, 0, 0)`);
    await raw.query(row(`ses_${n}`, (hours + n) * 3_600_000, state));
  }
  const store = await openNode(database.url);
  const { items } = await store.sessions({ limit: 9 }, "owner");
  expect(items.map(({ id, status }) => [id, status])).toEqual([
    ["ses_2", "idle"],
    ["ses_1", "queued"],
    ["ses_0", "running"],
  ]);
  await store.append("ses_0", [input("again")], byOwner);
  const { rows } = await raw.query("select id from session where updated_hour <> updated_at / 3600000");
  expect(rows).toEqual([]);
  const [newest] = (await store.sessions({ limit: 1 }, "owner")).items;
  expect(newest?.id).toBe("ses_0");
});

it("files from before it was known who names them are kept by the logs whose facts do", async () => {
  await migrate(
    database.url,
    "one",
    MIGRATIONS.filter(({ number }) => number < 10),
  );
  await raw.query(`insert into file (id, name, type, bytes, created_at)
    select id, 'a', 'b', 1, 5 from unnest(array['fil_named', 'fil_said', 'fil_nobodys']) id`);
  const named = (id: string) => ({
    data: { text: "a\0b", attachments: [{ file: id, bytes: 1 }, { file: id }] },
  });
  const event = (log: string, data: object) =>
    raw.query("insert into event (log, seq, crc, text) values ($1, 1, 0, $2)", [log, JSON.stringify(data)]);
  await event("ses_1", named("fil_named"));
  await event("ses_2", { data: { text: JSON.stringify(named("fil_said")) } });
  await migrate(database.url, "one");
  const { rows } = await raw.query("select log, file from log_file");
  expect(rows).toEqual([{ log: "ses_1", file: "fil_named" }]);
  const { rows: looks } = await raw.query("select distinct look_at::float8 as look from file");
  expect(looks).toEqual([{ look: 5 + 7 * 24 * 3_600_000 }]);
});

it("a fork from when it was given its original's lane is in none", async () => {
  await migrate(
    database.url,
    "one",
    MIGRATIONS.filter(({ number }) => number < 12),
  );
  const row = (id: string, origin: string) =>
    `insert into session (id, profile, title_words, created_at, updated_at, updated_hour, recovering, failed, ended,
        messages, tools, approvals, questions, input_tokens, output_tokens, cost, queued, held, lane, origin_kind)
      values ('${id}', 'default', '', 0, 0, 0, false, false, false, 0, 0, 0, 0, 0, 0, 0, 0, false, 'web:inbox', ${origin})`;
  await raw.query(row("ses_a", "null"));
  await raw.query(row("ses_f", "'fork'"));
  await migrate(database.url, "one");
  const { rows } = await raw.query("select id from session where lane = 'web:inbox'");
  expect(rows).toEqual([{ id: "ses_a" }]);
});

it("a database of a newer version that broke with this one is refused with what to do", async () => {
  await migrate(database.url, "one");
  await raw.query("insert into migration values (998, 'harmless', false)");
  await migrate(database.url, "one");
  await raw.query("insert into migration values (999, 'far_future', true)");
  await expect(openNode(database.url)).rejects.toThrow(
    /newer Holdfast \(migration 999, "far_future".*start that version/,
  );
});

it("backup says what to use instead", async () => {
  const store = await openNode(database.url);
  await expect(store.backup("/tmp/nowhere")).rejects.toThrow(/pg_dump/);
});

it("a database that can't hold every text is refused with what to do", async () => {
  const name = `latin_${Date.now()}`;
  await raw.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  await expect(migrate(url.href, "one")).rejects.toThrow(/encoding LATIN1.*UTF8/);
  await raw.query(`drop database ${name} with (force)`);
});

function input(text: string): NewEvent {
  return { type: "input_admitted", data: { input: "inp_1", kind: "prompt", text } };
}
