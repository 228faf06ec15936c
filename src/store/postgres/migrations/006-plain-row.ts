// A generated column's expression is read from the catalog, as text, by every statement that may change the row: a
// twenty-fifth of an append's time.
export const sql = `
alter table session drop column status, drop column listed, alter column updated_hour drop expression;
-- By what never changes: an index by time would be written with every step of every session.
create index session_active on session (id) where not ended and (turn is not null or (queued > 0 and not held));
`;
