// The tab's name and icon: what is open, and how many asks wait for a person, whichever session they are in.
import { createEffect, createMemo, createSignal, onCleanup, type Accessor } from "solid-js";
import { iconHref } from "./document-icon.ts";
import type { Asks } from "./state/asks.ts";

const [subject, setSubject] = createSignal("");

/** For as long as the calling component is there. */
export function nameSubject(name: Accessor<string>): void {
  createEffect(() => setSubject(name()));
  onCleanup(() => setSubject(""));
}

export function nameDocument(asks: Asks): void {
  const count = createMemo(() => asks.open().length);
  createEffect(() => {
    const parts = [count() > 0 ? `(${count()})` : "", subject() === "" ? "" : `${subject()} ·`, "Holdfast"];
    document.title = parts.filter((part) => part !== "").join(" ");
  });
  createEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"][type="image/svg+xml"]');
    if (icon) icon.href = iconHref(count());
  });
}
