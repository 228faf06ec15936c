export const sql = `
-- A lane leads to one session: a fork has none, though it was given its original's.
update session set lane = null where origin_kind = 'fork' and lane is not null;
`;
