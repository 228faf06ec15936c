/** Null for drafts, which go again, and for facts from before. */
export const sql = `
alter table event add column chain integer; -- checksum of the log's facts up to here, so that a page is checked as one
`;
