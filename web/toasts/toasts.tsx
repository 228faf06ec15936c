// Where toasts stand: over the page's corner, read out when there is a pause, reached by Tab like everything else.
import { createEffect, createSignal, For, onCleanup, Show } from "solid-js";
import { Icon, type IconName } from "../icon.tsx";
import { Link } from "../link.tsx";
import { createVisibility } from "../state/visibility.ts";
import { actOnToast, dismissToast, holdToasts, toasts, type Toast } from "./show.ts";

export function Toasts() {
  const [isPointedAt, setPointedAt] = createSignal(false);
  const [hasFocus, setFocus] = createSignal(false);
  const isVisible = createVisibility();
  let section!: HTMLElement;
  /** Where the focus was before it came here. */
  let before: HTMLElement | undefined;
  createEffect(() => holdToasts(isPointedAt() || hasFocus() || !isVisible()));
  // What is pressed away leaves without a pointerleave or a focusout.
  createEffect(() => {
    if (toasts().length > 0) return;
    setPointedAt(false);
    setFocus(false);
  });

  /** From a toast that goes: to the one in its place, or else back to what was being done. */
  function handOn(place: number): void {
    queueMicrotask(() => {
      const ways = [...section.querySelectorAll<HTMLElement>(".toast > .sign")];
      const back = before?.isConnected ? before : document.querySelector<HTMLElement>("#main");
      (ways[Math.min(place, ways.length - 1)] ?? back)?.focus();
    });
  }

  return (
    <section
      ref={section}
      class="toasts"
      aria-label="News"
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onFocusIn={({ relatedTarget: from }) => {
        setFocus(true);
        if (from instanceof HTMLElement && !section.contains(from)) before = from;
      }}
      onFocusOut={() => setFocus(false)}
    >
      <ol aria-live="polite" aria-relevant="additions">
        <For each={toasts()}>{(toast, n) => <ToastCard toast={toast} leave={() => handOn(n())} />}</For>
      </ol>
    </section>
  );
}

const SIGN: Record<NonNullable<Toast["tone"]>, IconName> = {
  news: "check",
  needs_you: "question",
  failed: "warning",
};

function ToastCard(props: {
  toast: Toast;
  /** It goes, and the focus with it. */
  leave: () => void;
}) {
  const { id, href, action } = props.toast;
  let card!: HTMLLIElement;
  onCleanup(() => {
    if (card.contains(document.activeElement)) props.leave();
  });
  return (
    <li
      ref={card}
      class="toast"
      data-tone={props.toast.tone ?? "news"}
      onKeyDown={(event) => {
        if (event.key === "Escape") dismissToast(id);
      }}
      onClick={(event) => {
        if (event.target.closest("a")) dismissToast(id);
      }}
    >
      <Icon name={SIGN[props.toast.tone ?? "news"]} />
      <Show when={href} fallback={<Words toast={props.toast} />}>
        {(there) => (
          <Link class="words" href={there()}>
            <Words toast={props.toast} />
          </Link>
        )}
      </Show>
      <Show when={action}>
        {(some) => (
          <button type="button" onClick={() => actOnToast(id)}>
            {some().label}
          </button>
        )}
      </Show>
      <button class="quiet sign" type="button" aria-label="Dismiss" onClick={() => dismissToast(id)}>
        <Icon name="close" />
      </button>
    </li>
  );
}

function Words(props: { toast: Toast }) {
  return (
    <span class="words">
      {props.toast.text}
      <Show when={props.toast.detail}>
        <span class="detail">{props.toast.detail}</span>
      </Show>
    </span>
  );
}
