// What a model is told of what its command left running.
import type { LeftRunning } from "./commands.ts";

const NAMED_MAX = 5;

export function leftWords(process: string, left: readonly LeftRunning[]): string {
  if (left.length === 0) return "";
  const named = left.slice(0, NAMED_MAX).map(({ pid, command }) => `${command} (pid ${pid})`);
  const more = left.length > NAMED_MAX ? ` and ${left.length - NAMED_MAX} more` : "";
  return `\n[it left running: ${named.join(", ")}${more}; the process tool shows and stops it as ${process}]`;
}
