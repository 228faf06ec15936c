/** A week, as FILE_UNNAMED_MS was when this was written. */
const UNNAMED_MS = 604_800_000;

// A fact that can't be read may name any file that its text has.
export const sql = `
-- Which files the facts of a log name: what nobody names goes.
create table log_file (
  log integer not null,
  file text not null,
  primary key (log, file)
) strict, without rowid;
create index log_file_file on log_file (file);
insert or ignore into log_file (log, file)
  select event.log, file.id
  from event
  join json_each(case when json_valid(event.text) then event.text else '{}' end, '$.data.attachments') named
  join file on file.id = case when named.type = 'object' then named.value ->> '$.file' end
  where instr(event.text, '"attachments":[');
insert or ignore into log_file (log, file)
  select event.log, file.id from event join file on instr(event.text, file.id)
  where instr(event.text, 'attachments') and not json_valid(event.text);

-- When it is to be looked at whether anybody names it.
alter table file add column look_at integer not null default 0;
update file set look_at = at + ${UNNAMED_MS};
create index file_look on file (look_at);
`;
