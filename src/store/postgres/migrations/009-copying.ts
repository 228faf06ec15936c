export const sql = `
-- Of a log that is being brought in: until then whoever does it has to be heard of, else it counts as left behind.
alter table purge add column copying_until bigint;
`;
