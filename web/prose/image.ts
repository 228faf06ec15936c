// An image in a model's text is a button that says where it would be fetched from. Nothing is fetched before the click;
// then it is, in an empty frame whose policy allows images and nothing else, so that the page's own need not.
import { imageHost } from "./links.ts";

const FRAME = "/image-frame.html";

export function dressImage(placeholder: HTMLElement): void {
  const src = placeholder.dataset["src"] ?? "";
  const label = placeholder.textContent.trim();
  const host = imageHost(src);
  const made = host === undefined ? words(refusal(src), label) : button(src, host, label);
  const link = placeholder.closest("a");
  placeholder.replaceWith(...(link ? [label || "image"] : [made]));
  link?.after(" ", made); // a button within a link would be both
}

function button(src: string, host: string, label: string): HTMLElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "image";
  made.title = src;
  made.textContent = `Load image from ${host}${label === "" ? "" : `: ${label}`}`;
  made.addEventListener("click", () => made.replaceWith(frame(src, host, label)));
  return made;
}

function frame(src: string, host: string, label: string): HTMLElement {
  const made = document.createElement("iframe");
  made.className = "image";
  made.title = label || `Image from ${host}`;
  made.src = FRAME;
  const fail = () => made.replaceWith(words(`image from ${host}, not loaded`, label));
  made.addEventListener("load", () => {
    const within = made.contentDocument;
    if (!within) return fail();
    const image = within.createElement("img"); // of that document, and under its policy
    image.referrerPolicy = "no-referrer";
    image.alt = label;
    image.addEventListener("error", fail);
    image.addEventListener("load", () => {
      made.style.width = `${image.naturalWidth}px`;
      made.style.aspectRatio = `${image.naturalWidth} / ${image.naturalHeight}`;
    });
    within.body.style.margin = "0";
    image.style.display = "block";
    image.style.width = "100%";
    image.src = src;
    within.body.append(image);
  });
  return made;
}

/** A data: address, or a path that leads nowhere from here. */
function refusal(src: string): string {
  return /^data:/i.test(src) ? "embedded image, not shown" : "image, not to be had here";
}

function words(what: string, label: string): HTMLElement {
  const made = document.createElement("span");
  made.className = "image";
  made.textContent = label === "" ? `[${what}]` : `[${what}: ${label}]`;
  return made;
}
