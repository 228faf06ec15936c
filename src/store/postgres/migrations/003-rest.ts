// Where an executor came to rest: nothing was to do until a fact comes after it, or the time to try again. Where the work of
// a session is done, for a database that several machines share.
export const sql = `
alter table log add column rested_seq bigint not null default 0;
alter table session add column host text;
-- By what never changes: an index by time would be written with every step of every session.
create index session_active on session (id) where status in ('queued', 'running', 'recovering', 'waiting');
`;
