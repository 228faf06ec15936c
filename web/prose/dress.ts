// What sanitised Markdown gets from us: links that open safely, images that wait for a click, code that can be copied,
// tables that scroll. Done to nodes, after the sanitiser: nothing here is ever parsed.
import { isPlainClick } from "../link.tsx";
import { navigate } from "../route.ts";
import { dressCode } from "./code.ts";
import { dressImage } from "./image.ts";
import { targetOf } from "./links.ts";

export function dress(fragment: DocumentFragment, { isGrowing }: { isGrowing: boolean }): void {
  for (const link of fragment.querySelectorAll("a")) dressLink(link);
  for (const image of fragment.querySelectorAll<HTMLElement>("span.image")) dressImage(image);
  for (const pre of fragment.querySelectorAll("pre")) dressCode(pre, { isGrowing });
  for (const table of fragment.querySelectorAll("table")) dressTable(table);
}

function dressLink(link: HTMLAnchorElement): void {
  const target = targetOf(link.getAttribute("href") ?? "", location.origin);
  switch (target.kind) {
    case "outside":
      link.href = target.href;
      link.target = "_blank";
      link.rel = "noopener noreferrer";
      link.title ||= target.href;
      return;
    case "page":
      link.href = target.path;
      link.addEventListener("click", (event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        navigate(target.path);
      });
      return;
    case "none":
      link.replaceWith(...link.childNodes);
  }
}

function dressTable(table: HTMLTableElement): void {
  const box = document.createElement("div");
  box.className = "table";
  box.tabIndex = 0; // what scrolls must be reached without a pointer
  box.role = "region";
  box.ariaLabel = "Table";
  table.replaceWith(box);
  box.append(table);
}
