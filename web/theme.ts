// Light, dark, or as the system has it. CSS does the rest: tokens are light-dark() pairs.
import { createSignal } from "solid-js";

export type Theme = "system" | "light" | "dark";
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

const KEY = "holdfast:theme";
const [theme, setSignal] = createSignal<Theme>(kept());
show(theme());

export { theme };

export function setTheme(next: Theme): void {
  setSignal(next);
  show(next);
  if (next === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
}

function show(next: Theme): void {
  document.documentElement.dataset["theme"] = next;
}

function kept(): Theme {
  const value = localStorage.getItem(KEY);
  return THEMES.find((name) => name === value) ?? "system";
}
