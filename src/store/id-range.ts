/** Ids that begin so are `from` and what comes after it, up to `to`: in this form an index finds them. */
export function idRange(beginning: string): { from: string; to: string } {
  return { from: beginning, to: `${beginning}${LAST_CHARACTER}` };
}

/** No id has it. */
const LAST_CHARACTER = "\u{10ffff}";
