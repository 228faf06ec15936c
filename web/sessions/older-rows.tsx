// The end of a list that goes on: the next page is read when this comes near, and on a press when that has failed.
import { createSignal, onCleanup, onMount, Show } from "solid-js";
import { failureWords } from "../failure-words.ts";

/** Read before someone is at the end. */
const AHEAD = "400px";

export function OlderRows(props: { load: () => Promise<void> }) {
  const [failure, setFailure] = createSignal<string>();
  const [isLoading, setLoading] = createSignal(false);
  let end!: HTMLDivElement;
  let nearness: IntersectionObserver | undefined;

  onMount(() => {
    nearness = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)?.isIntersecting && failure() === undefined) void load();
      },
      { root: end.closest(".rows, .page"), rootMargin: AHEAD },
    );
    nearness.observe(end);
  });
  onCleanup(() => nearness?.disconnect());

  async function load(): Promise<void> {
    if (isLoading()) return;
    setFailure(undefined);
    setLoading(true);
    try {
      await props.load();
    } catch (error) {
      setFailure(failureWords(error));
    } finally {
      setLoading(false);
      nearness?.unobserve(end);
      nearness?.observe(end); // or a page that adds little would leave it near without another word
    }
  }

  return (
    <div class="older" ref={end}>
      <button type="button" disabled={isLoading()} onClick={() => void load()}>
        {isLoading() ? "Loading…" : "Show older sessions"}
      </button>
      <Show when={failure()}>
        <p class="failure" role="alert">
          {failure()}
        </p>
      </Show>
    </div>
  );
}
