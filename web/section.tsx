import { Show, type JSX } from "solid-js";
import type { Loaded } from "./loaded.ts";

export function Section(props: { id: string; title: string; about?: JSX.Element; children: JSX.Element }) {
  return (
    <section id={props.id} aria-labelledby={`${props.id}-title`}>
      <h2 id={`${props.id}-title`}>{props.title}</h2>
      <Show when={props.about}>
        <p class="about">{props.about}</p>
      </Show>
      {props.children}
    </section>
  );
}

/** What was asked for, or that it is on its way, or why it did not come. */
export function Arrived<T extends object>(props: {
  loaded: Loaded<T>;
  children: (value: () => T) => JSX.Element;
}) {
  return (
    <>
      <Show when={props.loaded.failure()}>
        <p class="failure" role="alert">
          {props.loaded.failure()}{" "}
          <button type="button" onClick={() => void props.loaded.reload()}>
            Try again
          </button>
        </p>
      </Show>
      <Show
        when={props.loaded.value()}
        fallback={<p class="note">{props.loaded.failure() === undefined ? "Loading…" : ""}</p>}
      >
        {(value) => props.children(value)}
      </Show>
    </>
  );
}
