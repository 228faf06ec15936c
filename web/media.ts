// What the window is like just now, for what can't be left to CSS.
import { createSignal, type Accessor } from "solid-js";

/** As wide as a phone: the same bound as in the style sheets. */
export const isNarrow = media("(max-width: 700px)");

/** For as long as the page lives: to be asked for once each, not in components. */
export function media(query: string): Accessor<boolean> {
  const list = matchMedia(query);
  const [matches, setMatches] = createSignal(list.matches);
  list.addEventListener("change", () => setMatches(list.matches));
  return matches;
}
