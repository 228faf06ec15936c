// The top of a page. Where the list is out of sight, as on a phone, it has the way back.
import type { JSX } from "solid-js";
import { Icon } from "./icon.tsx";
import { Link } from "./link.tsx";

export function PageHead(props: { title: string; back?: JSX.Element; children?: JSX.Element }) {
  return (
    <header class="head">
      {props.back ?? <BackLink href="/" label="All sessions" />}
      <h1>{props.title}</h1>
      {props.children}
    </header>
  );
}

export function BackLink(props: { href: string; label: string }) {
  return (
    <Link class="back" href={props.href} aria-label={props.label}>
      <Icon name="chevronLeft" />
    </Link>
  );
}
