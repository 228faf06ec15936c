import { createSignal, onCleanup, type Accessor } from "solid-js";

/** Whether the tab can be seen. */
export function createVisibility(): Accessor<boolean> {
  const [isVisible, setVisible] = createSignal(!document.hidden);
  const look = () => setVisible(!document.hidden);
  document.addEventListener("visibilitychange", look);
  onCleanup(() => document.removeEventListener("visibilitychange", look));
  return isVisible;
}
