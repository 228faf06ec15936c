export const sql = `
-- The fact before which they lie, once it is there: from then on they only wait to be removed.
alter table drafting add column until integer;
create index drafting_until on drafting (until) where until is not null;
`;
