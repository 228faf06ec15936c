// Keyboard shortcuts as texts: "mod+k", "mod+shift+o". `mod` is ⌘ on Apple's devices and Ctrl elsewhere.

const IS_APPLE = /Mac|iP(hone|ad|od)/.test(globalThis.navigator?.platform ?? "");

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

export function fits(keys: string, event: Pressed, isApple = IS_APPLE): boolean {
  const { key, mod, shift } = parse(keys);
  const isMod = isApple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  // A sign may need Shift on one keyboard and not on another; a letter never does.
  const isShiftRight = isLetter(key) ? event.shiftKey === shift : true;
  return event.key.toLowerCase() === key && isMod === mod && isShiftRight && !event.altKey;
}

export function keyWords(keys: string, isApple = IS_APPLE): string {
  const { key, mod, shift } = parse(keys);
  const shown = key.length === 1 ? key.toUpperCase() : key;
  if (isApple) return `${shift ? "⇧" : ""}${mod ? "⌘" : ""}${shown}`;
  return [...(mod ? ["Ctrl"] : []), ...(shift ? ["Shift"] : []), shown].join("+");
}

/** As `aria-keyshortcuts` wants it. */
export function ariaKeys(keys: string): string {
  const { key, mod, shift } = parse(keys);
  const parts = (modifier: string) => [modifier, ...(shift ? ["Shift"] : []), key.toUpperCase()].join("+");
  return mod ? `${parts("Meta")} ${parts("Control")}` : key;
}

function parse(keys: string): { key: string; mod: boolean; shift: boolean } {
  const parts = keys.split("+");
  return { key: parts.at(-1) ?? "", mod: parts.includes("mod"), shift: parts.includes("shift") };
}

function isLetter(key: string): boolean {
  return /^\p{L}$/u.test(key);
}
