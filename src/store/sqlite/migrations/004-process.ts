export const sql = `
-- Written by the appends that begin and end processes. No executor had begun any before this.
create table process (
  id text primary key,
  session text not null,
  host text,
  status text not null,
  started_at integer not null,
  started text not null, -- JSON: the fact's data, and when
  ended text             -- JSON: how and when
) strict;
create index process_session on process (session);
create index process_started on process (started_at, id);
create index process_running on process (host, id) where status = 'running';

-- What is to be done to a process outside of the store: by a node of its host, once.
create table process_request (
  id text primary key,
  process text not null,
  wish text not null, -- JSON
  at integer not null,
  taken_at integer,
  outcome text
) strict;
create index process_request_open on process_request (process) where outcome is null;
create index process_request_at on process_request (at);

create index session_origin on session (origin_session) where origin_session is not null;
`;
