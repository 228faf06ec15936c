// One of a few things by its id or a unique beginning of it, by its name, or as the latest.
import { Failure } from "./exit.ts";
import { visibleLine } from "./visible.ts";

/** Ids are in the order of their making. */
type Identified = { id: string; name?: string };

export function findById<T extends Identified>(items: readonly T[], wanted: string, what: string): T {
  const exact = items.find(({ id }) => id === wanted);
  if (exact) return exact;
  const latest = wanted === "latest" ? newestOf(items) : undefined;
  // One that is called latest and is not leaves it open which is meant: what is found may be about to be revoked.
  const found = items.filter(({ id, name }) => id.startsWith(wanted) || name === wanted || id === latest?.id);
  const [first, second] = found;
  if (!first) throw new Failure("not_found", `there is no ${what} ${visibleLine(wanted)}`);
  if (!second) return first;
  const candidates = found.map(({ id, name }) => ({ id, ...(name !== undefined && { name }) }));
  const shown = candidates.map(({ id, name }) => `${id} ${visibleLine(name ?? "")}`.trim()).join(", ");
  throw new Failure("conflict", `"${visibleLine(wanted)}" could be any of: ${shown}`, { candidates });
}

function newestOf<T extends Identified>(items: readonly T[]): T | undefined {
  return items.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0];
}
