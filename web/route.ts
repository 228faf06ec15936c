// The address bar alone says what is looked at: every page is made from it, and Back and Forward only change it.
import { createSignal } from "solid-js";
import { parseAddress } from "./address.ts";

const [route, setRoute] = createSignal(parseAddress(location));
export { route };

window.addEventListener("popstate", () => setRoute(parseAddress(location)));

export function navigate(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", path);
  else if (path !== location.pathname + location.search + location.hash) history.pushState(null, "", path);
  setRoute(parseAddress(location));
}
