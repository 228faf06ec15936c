const GAP_PX = 4;
const EDGE_PX = 8;

/** A popover under its button, or above it where there is more room; never out of the window. */
export function placeBeside(popover: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const { clientWidth, clientHeight } = document.documentElement;
  const below = clientHeight - at.bottom;
  const top =
    below < height + GAP_PX + EDGE_PX && at.top > below ? at.top - height - GAP_PX : at.bottom + GAP_PX;
  // It begins where the button begins, unless it would then leave the window on the right.
  const left = at.left + width + EDGE_PX > clientWidth ? at.right - width : at.left;
  popover.style.top = `${clamp(top, height, clientHeight)}px`;
  popover.style.left = `${clamp(left, width, clientWidth)}px`;
}

function clamp(start: number, size: number, room: number): number {
  return Math.max(EDGE_PX, Math.min(start, room - size - EDGE_PX));
}
