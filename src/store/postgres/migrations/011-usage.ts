export const sql = `
-- What was used on a day, in UTC from 1970, by a session with a model: written by the appends that complete steps. It
-- stays when its session is deleted.
create table usage_day (
  day bigint not null,
  session text collate "C" not null,
  model text collate "C" not null,
  profile text collate "C" not null,
  steps bigint not null,
  input_tokens bigint not null,
  cached_tokens bigint not null,
  output_tokens bigint not null,
  reasoning_tokens bigint not null,
  unpriced_steps bigint not null,
  unpriced_tokens bigint not null,
  cost double precision not null,
  primary key (session, day, model)
) with (fillfactor = 70);
create index usage_day_day on usage_day (day);

-- Of the session's tokens, those that are not in its cost. Until its log was read: all of them, if it cost nothing.
alter table session add column unpriced_tokens bigint not null default 0;
update session set unpriced_tokens = input_tokens + output_tokens where cost = 0;

-- Sessions from before, whose facts up to this one are yet to be counted (fill-usage.ts). What an older version completes
-- from here on is not.
create table usage_left (
  session text collate "C" primary key,
  seq bigint not null,
  guessed bigint not null
);
insert into usage_left (session, seq, guessed)
select session.id, log.seq, session.unpriced_tokens from session join log on log.id = session.id;
`;
