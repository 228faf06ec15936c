// The tab's icon: the mark as it is, or with how many asks wait. Drawn as text, since a tab shows little else than a dot.
import { ICON_PATH } from "./brand.tsx";

const PLAIN = "/icon.svg";

export function iconHref(asks: number): string {
  if (asks === 0) return PLAIN;
  const count = asks > 9 ? "9+" : `${asks}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 18 18">
<path d="${ICON_PATH}" fill="none" stroke="#3d8a71" stroke-width="1.8" stroke-linecap="round"/>
<circle cx="12.5" cy="5.5" r="5.5" fill="#c2410c"/>
<text x="12.5" y="8.4" font-family="sans-serif" font-size="${count.length > 1 ? 6.5 : 8.5}" font-weight="700" fill="#fff" text-anchor="middle">${count}</text>
</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
