// Where an executor came to rest: nothing was to do until a fact comes after it, or the time to try again. Where the work of
// a session is done, for a database that several machines share.
export const sql = `
alter table log add column rested integer not null default 0;
alter table session add column host text;
`;
