// The refusals that every route about a session shares.
import { refuse } from "./refusal.ts";

export function refuseUnknown(id: string): never {
  refuse("not_found", `There is no session "${id.slice(0, 100)}".`);
}

export function refuseEnded(id: string, successor: string | null): never {
  const where = successor === null ? "Fork it to go on." : `It goes on in ${successor}.`;
  refuse("ended", `${id} has ended and takes nothing new. ${where}`, { successor });
}
