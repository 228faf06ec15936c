// A deed that is told again is the same deed: its id is made from what makes it one.
import { createHash } from "node:crypto";

export function deedIdOf(...parts: readonly string[]): string {
  return `ded_${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40)}`;
}
