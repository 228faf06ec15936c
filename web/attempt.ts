// Something that a person has asked for: whether it is under way, and why it failed.
import { createSignal, type Accessor } from "solid-js";
import { failureWords } from "./failure-words.ts";

export type Attempt = {
  readonly failure: Accessor<string | undefined>;
  readonly isBusy: Accessor<boolean>;
  /** True when it went well. */
  run(act: () => Promise<unknown>): Promise<boolean>;
};

export function createAttempt(wordsFor: (error: unknown) => string = failureWords): Attempt {
  const [failure, setFailure] = createSignal<string>();
  const [isBusy, setBusy] = createSignal(false);
  return {
    failure,
    isBusy,
    async run(act) {
      setFailure(undefined);
      setBusy(true);
      try {
        await act();
        return true;
      } catch (error) {
        setFailure(wordsFor(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
