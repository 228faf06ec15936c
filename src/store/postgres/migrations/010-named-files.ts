/** A week, as FILE_UNNAMED_MS was when this was written. */
const UNNAMED_MS = 604_800_000;

// As text: what a fact says may have characters that PostgreSQL's own JSON can't hold.
export const sql = `
-- Which files the facts of a log name: what nobody names goes. \`at\` is for logs that are yet to be made.
create table log_file (
  log text collate "C" not null,
  file text collate "C" not null,
  at bigint not null,
  primary key (log, file)
);
create index log_file_file on log_file (file);
insert into log_file (log, file, at)
  select distinct event.log, file.id, file.created_at
  from event, regexp_matches(event.text, '"file":"([^"\\\\]+)"', 'g') named, file
  where position('"attachments":[' in event.text) > 0 and file.id = named[1];

-- When it is to be looked at whether anybody names it.
alter table file add column look_at bigint not null default 0;
update file set look_at = created_at + ${UNNAMED_MS};
create index file_look on file (look_at);
`;
