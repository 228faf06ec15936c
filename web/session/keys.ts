// Names of keys as this device has them, and what its Enter is good for.

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

export const MOD_ENTER = isApple ? "⌘Enter" : "Ctrl+Enter";

/** With a keyboard of glass there is no Shift+Enter: Enter breaks the line there, and the button sends. */
export const hasKeyboard = !matchMedia("(hover: none) and (pointer: coarse)").matches;

/** Safari ends the composition before the key that ended it; only its old code still tells. */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
