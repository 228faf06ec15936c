// Where a link that a model wrote may lead: out of the page in a tab of its own, or to one of our own pages. Anything
// else, such as a path in a workspace, is words.
import { parseAddress } from "../address.ts";

export type Target = { kind: "outside"; href: string } | { kind: "page"; path: string } | { kind: "none" };

export function targetOf(href: string, origin: string): Target {
  const isWhole = href.startsWith("/") || URL.canParse(href); // "main.ts" is no page of ours beside this one
  const url = isWhole && URL.canParse(href, origin) ? new URL(href, origin) : undefined;
  if (url?.origin === origin) return pageOf(url);
  const isOutside = url && ["http:", "https:", "mailto:"].includes(url.protocol);
  return isOutside ? { kind: "outside", href: url.href } : { kind: "none" };
}

function pageOf(url: URL): Target {
  const { page } = parseAddress(url);
  // Nobody logs in because a model said so.
  return page === "unknown" || page === "login"
    ? { kind: "none" }
    : { kind: "page", path: url.pathname + url.search + url.hash };
}

/** The host that an image would be fetched from; undefined for what is not fetched at all. */
export function imageHost(src: string): string | undefined {
  const url = URL.canParse(src) ? new URL(src) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.host : undefined;
}
