export const sql = `
-- The words come folded and parted (words.ts), as PostgreSQL has them: what SQLite knows of letters is of 2012 and folds
-- the accents of Latin ones alone. The index is made anew from the log, some at a time, once the file is open.
drop table search;
create virtual table search using fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);
update meta set value = '0' where name = 'indexed';
`;
