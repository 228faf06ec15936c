// One of a few things by its id or a unique beginning of it, or by its name.
import { Failure } from "./exit.ts";
import { visibleLine } from "./visible.ts";

type Identified = { id: string; name?: string };

export function findById<T extends Identified>(items: readonly T[], wanted: string, what: string): T {
  const exact = items.find(({ id }) => id === wanted);
  if (exact) return exact;
  const found = items.filter(({ id, name }) => id.startsWith(wanted) || name === wanted);
  const [first, second] = found;
  if (!first) throw new Failure("not_found", `there is no ${what} ${visibleLine(wanted)}`);
  if (!second) return first;
  const candidates = found.map(({ id, name }) => ({ id, ...(name !== undefined && { name }) }));
  const shown = candidates.map(({ id, name }) => `${id} ${visibleLine(name ?? "")}`.trim()).join(", ");
  throw new Failure("conflict", `"${visibleLine(wanted)}" could be any of: ${shown}`, { candidates });
}
