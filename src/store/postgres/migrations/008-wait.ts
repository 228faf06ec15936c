export const sql = `
-- When it last began to wait for an executor, or was claimed by one: whoever waits longest comes first.
alter table log add column waits_since bigint not null default 0;
`;
