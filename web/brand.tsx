/** As in public/icon.svg: a stalk and what it holds on with. */
export const ICON_PATH = "M9 1v8M9 9c0 4-3 4-5 8M9 9c0 4 0 5 0 8M9 9c0 4 3 4 5 8";

export function Brand() {
  return (
    <span class="brand">
      <svg width="18" height="18" viewBox="0 0 18 18" fill="none" stroke="currentColor" aria-hidden="true">
        <path stroke-width="1.8" stroke-linecap="round" d={ICON_PATH} />
      </svg>
      Holdfast
    </span>
  );
}
