export const sql = `
-- A view is kept compressed. Those that are there go, and come again with the next append or when they are missed.
drop table snapshot;
create table snapshot (
  log integer primary key,
  seq integer not null,
  sub integer not null,
  version integer not null,
  crc integer not null,
  view blob not null
) strict;
update log set snapshot_seq = 0;
`;
