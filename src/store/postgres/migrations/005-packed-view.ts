export const sql = `
-- A view is kept compressed. Those that are there go, and come again with the next append or when they are missed.
delete from snapshot;
alter table snapshot drop column view;
alter table snapshot add column view bytea not null;
alter table snapshot alter column view set storage external;
update log set snapshot_seq = 0;
`;
