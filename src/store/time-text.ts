// A time as events tell it, for those that are written one after the other: within a second only its end differs. To
// write all of it anew took 17 of the 630 µs that the main thread has to do for a piece of text that an agent says.

const SECOND_MS = 1000;

/** The same as `toISOString`. */
export function timeTexts(): (at: number) => string {
  let second = Number.NaN;
  let head = "";
  return (at) => {
    const ms = at % SECOND_MS;
    if (at - ms !== second) {
      second = at - ms;
      head = new Date(second).toISOString().slice(0, -"000Z".length);
    }
    return `${head}${String(ms).padStart(3, "0")}Z`;
  };
}
