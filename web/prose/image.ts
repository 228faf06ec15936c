// An image in a model's text is a button that says where it would be fetched from. Nothing is fetched before the click.
import { imageHost } from "./links.ts";

export function dressImage(placeholder: HTMLElement): void {
  const src = placeholder.dataset["src"] ?? "";
  const label = placeholder.textContent.trim();
  const host = imageHost(src);
  const made = host === undefined ? refused(src, label) : button(src, host, label);
  const link = placeholder.closest("a");
  placeholder.replaceWith(...(link ? [label || "image"] : [made]));
  link?.after(" ", made); // a button within a link would be both
}

function button(src: string, host: string, label: string): HTMLElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "image";
  made.title = src;
  made.textContent = `Open the image at ${host}${label === "" ? "" : `: ${label}`}`;
  made.addEventListener("click", () => void window.open(src, "_blank", "noopener,noreferrer"));
  return made;
}

/** A data: address, or a path that leads nowhere from here. */
function refused(src: string, label: string): HTMLElement {
  const made = document.createElement("span");
  made.className = "image";
  const kind = /^data:/i.test(src) ? "embedded image, not shown" : "image, not to be had here";
  made.textContent = label === "" ? `[${kind}]` : `[${kind}: ${label}]`;
  return made;
}
