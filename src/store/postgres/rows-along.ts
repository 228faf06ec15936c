// Rows that go along with a statement. PostgreSQL unrolls one of their columns only, and finds the others by the row's
// number: to unroll every column (an `unnest` of them all) took 310 µs for 32 rows of 18 columns, and this takes 110.

/** Numbered as they are asked for, which is the order in which their values are listed. */
export type Parameters = (type: string) => string;

/** In the order in which their values are listed. */
export type RowColumns = {
  /** The one that is unrolled. */
  each: [name: string, type: "text" | "bigint"];
  /** Together in one array, row after row. */
  numbers?: readonly string[];
  amounts?: readonly string[];
  texts?: readonly string[];
};

/** For a number that a row does not have: among nulls the nth element is found by counting from the first. */
export const NO_NUMBER = -1;

/** A table for `from`, with `nth`, the row's own number from 1. */
export function rowsAlong(
  next: Parameters,
  { each: [name, type], numbers = [], amounts = [], texts = [] }: RowColumns,
): string {
  const rows = `unnest(${next(`${type}[]`)}) with ordinality as r (${name}, nth)`;
  const all = numbers.length > 0 ? next("bigint[]") : "";
  const columns = [
    ...numbers.map(
      (number, n) => `(${all})[nth * ${numbers.length} - ${numbers.length - 1 - n}] as ${number}`,
    ),
    ...amounts.map((amount) => `(${next("double precision[]")})[nth] as ${amount}`),
    ...texts.map((text) => `(${next("text[]")})[nth] as ${text}`),
  ];
  return `(select ${[name, "nth", ...columns].join(", ")} from ${rows})`;
}
