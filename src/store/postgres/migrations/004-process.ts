export const sql = `
-- Written by the appends that begin and end processes. No executor had begun any before this.
create table process (
  id text collate "C" primary key,
  session text collate "C" not null,
  host text,
  status text not null,
  started_at bigint not null,
  started text not null, -- JSON: the fact's data, and when
  ended text             -- JSON: how and when
);
create index process_session on process (session);
create index process_started on process (started_at, id);
create index process_running on process (host, id) where status = 'running';

-- What is to be done to a process outside of the store: by a node of its host, once.
create table process_request (
  id text collate "C" primary key,
  process text collate "C" not null,
  wish text not null, -- JSON
  at bigint not null,
  taken_at bigint,
  outcome text
);
create index process_request_open on process_request (process) where outcome is null;
create index process_request_at on process_request (at);

create index session_origin on session (origin_session) where origin_session is not null;
create index session_successor on session (successor) where successor is not null;
`;
