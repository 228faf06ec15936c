// The end of a list that goes on: the next page is read when this comes near, and on a press when that has failed.
import { onCleanup, onMount, Show } from "solid-js";
import { createAttempt } from "../attempt.ts";

/** Read before someone is at the end. */
const AHEAD = "400px";

export function OlderRows(props: { load: () => Promise<void> }) {
  const loading = createAttempt();
  let end!: HTMLDivElement;
  let nearness: IntersectionObserver | undefined;

  onMount(() => {
    nearness = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)?.isIntersecting && loading.failure() === undefined) void load();
      },
      { root: end.closest(".rows, .page"), rootMargin: AHEAD },
    );
    nearness.observe(end);
  });
  onCleanup(() => nearness?.disconnect());

  async function load(): Promise<void> {
    if (loading.isBusy()) return;
    await loading.run(() => props.load());
    nearness?.unobserve(end);
    nearness?.observe(end); // or a page that adds little would leave it near without another word
  }

  return (
    <div class="older" ref={end}>
      <button type="button" disabled={loading.isBusy()} onClick={() => void load()}>
        {loading.isBusy() ? "Loading…" : "Show older sessions"}
      </button>
      <Show when={loading.failure()}>
        <p class="failure" role="alert">
          {loading.failure()}
        </p>
      </Show>
    </div>
  );
}
