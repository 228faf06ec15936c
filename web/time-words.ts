// Times as a person says them. All take the present as an argument.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, as short as a column of a list wants it: now, 8m, 3h, Fri, 12 Mar. */
export function age(at: string, now: number): string {
  const ms = now - Date.parse(at);
  if (ms < MINUTE) return "now"; // a server's clock may be ahead of ours
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`;
  const date = new Date(at);
  if (ms < 6 * DAY) return date.toLocaleDateString("en", { weekday: "short" });
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    ...(isThisYear ? {} : { year: "numeric" }),
  });
}

/** The same within a sentence: now, 8m ago, 3h ago, Fri, 12 Mar. */
export function ago(at: string, now: number): string {
  const words = age(at, now);
  return /^\d+[mh]$/.test(words) ? `${words} ago` : words;
}

/** 0.4 s, 38 s, 6 m 12 s, 3 h 05 m. */
export function duration(ms: number): string {
  if (ms < 0) return duration(0);
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ${twoDigits((ms % MINUTE) / SECOND)} s`;
  return `${Math.floor(ms / HOUR)} h ${twoDigits((ms % HOUR) / MINUTE)} m`;
}

export function between(from: string, to: string): string {
  return duration(Date.parse(to) - Date.parse(from));
}

/** 14:32, or with its day when that is not today. */
export function clockTime(at: string, now: number): string {
  const date = new Date(at);
  const time = `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
  const isToday = date.toDateString() === new Date(now).toDateString();
  return isToday ? time : `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`;
}

/** Before what was so then and may have changed since. */
export function asOf(at: number, now: number): string {
  return `at ${clockTime(new Date(at).toISOString(), now)}`;
}

export function wholeTime(at: string): string {
  return new Date(at).toLocaleString();
}

function twoDigits(n: number): string {
  return String(Math.floor(n)).padStart(2, "0");
}
