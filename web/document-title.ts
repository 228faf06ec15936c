// The tab's name: what is open, and before it how many asks wait for a person, whichever session they are in.
import { createEffect, createSignal, onCleanup, type Accessor } from "solid-js";
import type { SessionList } from "./state/session-list.ts";

const [subject, setSubject] = createSignal("");

/** For as long as the calling component is there. */
export function nameSubject(name: Accessor<string>): void {
  createEffect(() => setSubject(name()));
  onCleanup(() => setSubject(""));
}

export function nameDocument(list: SessionList): void {
  createEffect(() => {
    const asks = list
      .rows()
      .reduce(
        (sum, { attention }) => sum + (attention && attention.kind !== "failed" ? attention.count : 0),
        0,
      );
    const parts = [asks > 0 ? `(${asks})` : "", subject() === "" ? "" : `${subject()} ·`, "Holdfast"];
    document.title = parts.filter((part) => part !== "").join(" ");
  });
}
