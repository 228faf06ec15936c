// Something that a page asks the server for when it is opened, with what went wrong and a way to ask again.
import { createSignal, onCleanup, type Accessor } from "solid-js";
import { failureWords } from "./failure-words.ts";

export type Loaded<T> = {
  /** What came last stays while it is asked for again. */
  value: Accessor<T | undefined>;
  failure: Accessor<string | undefined>;
  reload: () => Promise<void>;
};

export function createLoaded<T extends object>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [value, setValue] = createSignal<T>();
  const [failure, setFailure] = createSignal<string>();
  const left = new AbortController();
  onCleanup(() => left.abort());

  let asked = 0;
  async function reload(): Promise<void> {
    const mine = ++asked;
    setFailure(undefined);
    try {
      const loaded = await load(left.signal);
      if (mine === asked) setValue(() => loaded); // else it is an answer to what was asked before
    } catch (error) {
      if (mine === asked && !left.signal.aborted) setFailure(failureWords(error));
    }
  }
  void reload();
  return { value, failure, reload };
}
