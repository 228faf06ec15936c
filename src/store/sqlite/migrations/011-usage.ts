export const sql = `
-- What was used on a day, in UTC from 1970, by a session with a model: written by the appends that complete steps. It has
-- no log's key, since it stays when its session is deleted. By day first: a commit's rows lie side by side.
create table usage_day (
  day integer not null,
  session text not null,
  model text not null,
  profile text not null,
  steps integer not null,
  input_tokens integer not null,
  cached_tokens integer not null,
  output_tokens integer not null,
  reasoning_tokens integer not null,
  unpriced_steps integer not null,
  unpriced_tokens integer not null,
  cost real not null,
  primary key (day, session, model)
) strict, without rowid;
create index usage_day_session on usage_day (session);

-- Of the session's tokens, those that are not in its cost. Until its log was read: all of them, if it cost nothing.
alter table session add column unpriced_tokens integer not null default 0;
update session set unpriced_tokens = input_tokens + output_tokens where cost = 0;

-- Sessions from before, whose facts up to this one are yet to be counted (fill-usage.ts). What an older version completes
-- from here on is not.
create table usage_left (
  session text primary key,
  seq integer not null,
  guessed integer not null
) strict, without rowid;
insert into usage_left (session, seq, guessed)
select session.id, event.seq, session.unpriced_tokens from session
cross join event on event.id = (
  select id from event
  where event.log = session.log
    and block = (select block from span where span.log = session.log order by seq desc, sub desc limit 1)
  order by seq desc, sub desc limit 1);
`;
