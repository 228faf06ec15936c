// Light, dark, or as the system has it. CSS does the rest: tokens are light-dark() pairs.
import { createSignal } from "solid-js";

export type Theme = "system" | "light" | "dark";
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

/** As `--panel` has them. */
const BAR = { light: "#f4f2ec", dark: "#1a1d1a" };
const KEY = "holdfast:theme"; // theme.js reads it too
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
  // The bar above the page is the system's, which asks by its own scheme.
  for (const [scheme, colour] of Object.entries(BAR)) {
    const meta = document.querySelector(`meta[name="theme-color"][media*="${scheme}"]`);
    meta?.setAttribute("content", next === "system" ? colour : BAR[next]);
  }
}

function kept(): Theme {
  const value = localStorage.getItem(KEY);
  return THEMES.find((name) => name === value) ?? "system";
}
