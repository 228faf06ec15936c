// A link within the page: an ordinary one, so that it can be opened in a new tab, copied and read out.
import { splitProps, type JSX } from "solid-js";
import { navigate } from "./route.ts";

export function Link(props: JSX.AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const [own, rest] = splitProps(props, ["href"]);
  return <a {...rest} href={own.href} onClick={(event) => follow(event, own.href)} />;
}

function follow(event: MouseEvent, href: string): void {
  if (!isPlainClick(event)) return;
  event.preventDefault();
  navigate(href);
}

/** Any other asks for a new tab or window: the browser's affair. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
