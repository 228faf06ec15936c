export const sql = `
-- Written by the appends that open and close asks. No executor had opened any before this.
create table ask (
  id text collate "C" primary key,
  session text collate "C" not null,
  state text not null,
  opened text not null, -- JSON: the fact's data, and when
  closed text           -- JSON: how, by whom and when
);
create index ask_session on ask (session);
create index ask_open on ask (id) where state = 'open';

-- What a person allowed for good. The same said twice is one rule.
create table rule (
  id text collate "C" primary key,
  profile text not null,
  tool text not null,
  match text not null,
  decision text not null,
  shown text,
  created_at bigint not null,
  unique (profile, tool, match, decision)
);
`;
