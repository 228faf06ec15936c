// Quiet hours, which may go over midnight.

export function isQuiet(quiet: { from: string; until: string } | null, now: Date): boolean {
  if (quiet === null || quiet.from === quiet.until) return false;
  const time = `${twoDigits(now.getHours())}:${twoDigits(now.getMinutes())}`;
  const isAfter = time >= quiet.from;
  const isBefore = time < quiet.until;
  return quiet.from < quiet.until ? isAfter && isBefore : isAfter || isBefore;
}

function twoDigits(n: number): string {
  return String(n).padStart(2, "0");
}
