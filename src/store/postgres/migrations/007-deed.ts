export const sql = `
-- Who did what. Told in the order in which it was noted; by that number the oldest go, too.
create table deed (
  seq bigint generated always as identity primary key,
  id text collate "C" not null unique,
  at bigint not null,
  deed text not null,
  by text not null,     -- JSON: an author, as events have one
  credential text,
  what text not null    -- JSON
);
`;
