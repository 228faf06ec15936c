// Ids compare byte by byte (collate "C"): their order is that of creation, whatever the database's language.
// Times are milliseconds, and `touched` seconds, both of the database's own clock where they decide anything.
export const sql = `
create table meta (
  name text primary key,
  value text not null
);

-- The narrow row that every append changes. Nothing indexed changes with it more than once a second, so that nearly
-- all of its updates stay within the page (HOT), for which half of each page is left free.
create table log (
  id text collate "C" primary key,
  kind text not null,
  seq bigint not null,
  sub bigint not null,
  closed boolean not null default false,
  epoch bigint not null default 0,
  holder text collate "C",
  lease_until bigint not null default 0,
  snapshot_seq bigint not null default 0,
  rev bigint not null default 1, -- rises with whatever readers and lists should see
  touched bigint not null
) with (fillfactor = 50);
create index log_touched on log (touched);
create index log_holder on log (holder) where holder is not null;

-- Rows up to a page stay in it as they are: squeezing texts of 2 KB costs more than it saves.
-- Facts only, so nothing here is ever updated or deleted but with its log.
create table event (
  log text collate "C" not null,
  seq bigint not null,
  crc bigint not null,
  tally text,
  author text,
  text text not null,
  primary key (log, seq)
) with (toast_tuple_target = 8160);
create index event_tally on event (log, seq) include (tally, author) where tally is not null;

-- What search finds. An append only puts its words down, in its own transaction; a duty of the store sorts them into
-- the index, which costs five times as much. Searches look at both.
create table search_new (
  log text collate "C" not null,
  seq bigint not null,
  words text not null
) with (autovacuum_vacuum_scale_factor = 0.05);
create table search (
  log text collate "C" not null,
  seq bigint not null,
  words tsvector not null,
  primary key (log, seq)
);
create index search_words on search using gin (words) with (gin_pending_list_limit = 65536);

-- Apart from the facts, since most drafts live for seconds: what they leave behind is vacuumed from a small table.
create table draft (
  log text collate "C" not null,
  seq bigint not null,
  sub bigint not null,
  crc bigint not null,
  owner text not null,
  text text not null,
  primary key (log, seq, sub)
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);

create table session (
  id text collate "C" primary key,
  profile text not null,
  workspace text,
  lane text,
  origin_kind text,
  origin_session text collate "C",
  origin_at text,
  pinned boolean not null default false,
  archived boolean not null default false,
  created_at bigint not null,
  updated_at bigint not null,
  title text,
  title_words text not null,
  model text,
  turn text,
  retry_at text,
  recovering boolean not null,
  held boolean not null,
  failed boolean not null,
  ended boolean not null,
  successor text collate "C",
  messages bigint not null,
  tools bigint not null,
  queued bigint not null,
  approvals bigint not null,
  questions bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost double precision not null,
  status text not null generated always as (
    case
      when ended then 'ended'
      when turn is not null and recovering then 'recovering'
      when turn is not null and (approvals + questions > 0 or retry_at is not null) then 'waiting'
      when turn is not null then 'running'
      when queued > 0 and not held then 'queued'
      else 'idle'
    end
  ) stored,
  -- The head of its lineage, and no delegate's or task's session: what a list shows.
  listed boolean not null generated always as (
    successor is null and coalesce(origin_kind, 'fork') = 'fork'
  ) stored,
  updated_hour bigint not null generated always as (updated_at / 3600000) stored
) with (fillfactor = 70);
-- By the hour, so that a session which works moves in the index once an hour rather than with every step; a list sorts
-- what falls into the same hour.
create index session_list on session (pinned, updated_hour);

create table snapshot (
  log text collate "C" primary key,
  seq bigint not null,
  sub bigint not null,
  version bigint not null,
  crc bigint not null,
  view text not null
);

create table seen (
  person text not null,
  session text collate "C" not null,
  seq bigint not null,
  sub bigint not null,
  primary key (session, person)
);

-- One key, one effect: written in the effect's own transaction. A keeper's key lives as long as its log.
create table command (
  scope text not null,
  key text not null,
  digest text not null,
  result text,
  log text collate "C",
  at bigint not null,
  primary key (scope, key)
);
create index command_at on command (at) where log is null;
create index command_log on command (log) where log is not null;

-- One row for each append statement, in its own commit: what tells an unknown commit from one that never was.
create table batch (
  id text collate "C" primary key,
  result text,
  at bigint not null
);

create table timer (
  key text primary key,
  log text collate "C" not null,
  due_at bigint not null
);
create index timer_due on timer (due_at);
create index timer_log on timer (log);

create table node (
  id text collate "C" primary key,
  host text not null,
  pid bigint not null,
  url text,
  started_at bigint not null,
  heartbeat_at bigint not null
);

-- What was deleted or revoked of late, for nodes that missed the hint.
create table gone (
  id text collate "C" not null,
  touched bigint not null
);
create index gone_touched on gone (touched);

-- Logs that are gone, and whose events are still there to be removed.
create table purge (
  log text collate "C" primary key
);

-- \`puts\` tells whoever would remove one that it has been put again since.
create table blob (
  id text collate "C" primary key,
  puts bigint not null default 1,
  bytes bytea not null
);
create table log_blob (
  log text collate "C" not null,
  blob text collate "C" not null,
  at bigint not null,
  primary key (log, blob)
);
create index log_blob_blob on log_blob (blob);

create table file (
  id text collate "C" primary key,
  name text not null,
  type text not null,
  bytes bigint not null,
  created_at bigint not null
);
create table file_chunk (
  file text collate "C" not null,
  n bigint not null,
  bytes bytea not null,
  at bigint not null,
  primary key (file, n)
);

create table token (
  id text collate "C" primary key,
  person text not null,
  kind text not null,
  name text not null,
  hash text not null unique,
  created_at bigint not null,
  used_at bigint
);
create table login_link (
  hash text primary key,
  person text not null,
  expires_at bigint not null
);
create table login (
  id text collate "C" primary key,
  person text not null,
  device text not null,
  hash text not null unique,
  created_at bigint not null,
  used_at bigint not null,
  expires_at bigint not null
);
`;
