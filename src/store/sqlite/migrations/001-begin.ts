// Times are milliseconds. Truth is 0 or 1.
export const sql = `
create table meta (name text primary key, value text not null) strict, without rowid;

-- Changes with its lease and at its end, but not with each append: where a log stands is what its last event says.
create table log (
  key integer primary key autoincrement,
  id text not null unique,
  kind text not null,
  closed integer not null default 0,
  epoch integer not null default 0,
  holder text,
  lease_until integer not null default 0,
  snapshot_seq integer not null default 0
) strict;
create index log_holder on log (holder) where holder is not null;

-- In the order of writing, so that a commit's events lie side by side whatever their logs. Their index begins with the
-- block (2048 events that were written one after another) for the same reason: with (log, seq, sub) in front, 64 logs
-- would dirty 64 pages in each commit, which took 2.3 times as long. \`span\` says in which blocks a log is.
create table event (
  id integer primary key,
  block integer not null,
  log integer not null,
  seq integer not null,
  sub integer not null,
  owner text,             -- of a draft: whose fact makes it superfluous
  tally text,             -- message or tool, for counting
  author text,            -- the person who wrote it
  reach integer not null, -- bytes of the log up to here, so that a page is bounded before it is read
  crc integer not null,
  text text not null
) strict;
create unique index event_place on event (block, log, seq, sub);
create index event_tally on event (block, log, tally, seq, author) where tally is not null;

-- Where a log's events in a block begin.
create table span (
  log integer not null,
  seq integer not null,
  sub integer not null,
  block integer not null,
  primary key (log, seq, sub)
) strict, without rowid;

-- Where the drafts of an owner begin that its fact will sweep.
create table drafting (
  log integer not null,
  owner text not null,
  seq integer not null,
  primary key (log, owner)
) strict, without rowid;

-- How far the search index has come: the id of an event.
insert into meta (name, value) values ('indexed', '0');
create virtual table search using fts5 (
  text, content = '', contentless_delete = 1, detail = none, tokenize = "unicode61 remove_diacritics 2 tokenchars '_'"
);

create table session (
  log integer primary key,
  id text not null unique,
  lineage text not null, -- the first session of the chain by successor
  profile text not null,
  workspace text,
  lane text,
  origin_kind text,
  origin_session text,
  origin_at text,
  pinned integer not null default 0,
  archived integer not null default 0,
  created_at integer not null,
  updated_at integer not null,
  title text,
  model text,
  turn text,
  retry_at text,
  recovering integer not null,
  held integer not null,
  failed integer not null,
  ended integer not null,
  successor text,
  messages integer not null,
  tools integer not null,
  queued integer not null,
  approvals integer not null,
  questions integer not null,
  input_tokens integer not null,
  output_tokens integer not null,
  cost real not null,
  status text not null generated always as (
    case
      when ended then 'ended'
      when turn is not null and recovering then 'recovering'
      when turn is not null and (approvals + questions > 0 or retry_at is not null) then 'waiting'
      when turn is not null then 'running'
      when queued > 0 and not held then 'queued'
      else 'idle'
    end
  ) virtual,
  -- The head of its lineage, and no delegate's or task's session: what a list shows.
  listed integer not null generated always as (
    successor is null and coalesce(origin_kind, 'fork') = 'fork'
  ) virtual
) strict;
create index session_list on session (listed, pinned desc, updated_at desc, id desc, archived);
create index session_status on session (status);
create index session_lineage on session (lineage);
create index session_asks on session (approvals, questions) where approvals + questions > 0;

create table snapshot (
  log integer primary key,
  seq integer not null,
  sub integer not null,
  version integer not null,
  crc integer not null,
  view text not null
) strict;

create table seen (
  log integer not null,
  person text not null,
  seq integer not null,
  sub integer not null,
  primary key (log, person)
) strict, without rowid;

-- One key, one effect: written in the effect's own transaction. A keeper's key lives as long as its log.
create table command (
  scope text not null,
  key text not null,
  digest text not null,
  result text not null,
  log integer,
  at integer not null,
  primary key (scope, key)
) strict;
create index command_at on command (at) where log is null;
create index command_log on command (log) where log is not null;

create table timer (
  key text primary key,
  log text not null,
  due_at integer not null
) strict, without rowid;
create index timer_due on timer (due_at);
create index timer_log on timer (log);

create table node (
  id text primary key,
  host text not null,
  pid integer not null,
  url text,
  started_at integer not null
) strict, without rowid;

-- Bytes in chunks, so that a large one never holds the writer. \`id\` is the SHA-256 of a blob, and null of a file.
create table blob (
  key integer primary key autoincrement,
  id text unique,
  bytes integer not null,
  complete integer not null default 0,
  at integer not null
) strict;
create table chunk (
  blob integer not null,
  n integer not null,
  bytes blob not null,
  primary key (blob, n)
) strict;
create table log_blob (
  log integer not null,
  blob integer not null,
  primary key (log, blob)
) strict, without rowid;
create index log_blob_blob on log_blob (blob);
create table file (
  id text primary key,
  name text not null,
  type text not null,
  bytes integer not null,
  blob integer not null,
  at integer not null
) strict;
create index file_blob on file (blob);

create table token (
  id text primary key,
  person text not null,
  kind text not null,
  name text not null,
  hash text not null unique,
  created_at integer not null,
  used_at integer
) strict;
create table login_link (
  hash text primary key,
  person text not null,
  expires_at integer not null
) strict, without rowid;
create table login (
  id text primary key,
  person text not null,
  device text not null,
  hash text not null unique,
  created_at integer not null,
  used_at integer not null,
  expires_at integer not null
) strict;

-- Logs that are gone, or were never finished (\`copying\`), and whose events are still there to be removed.
create table purge (
  log integer primary key,
  copying integer not null default 0
) strict;
`;
