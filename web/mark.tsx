import type { Mark } from "./status-words.ts";

const SIGN: Partial<Record<Mark, string>> = { approval: "?", question: "?", failed: "!" };

/** Says nothing by itself: the words beside it do. */
export function StatusMark(props: { mark: Mark }) {
  return (
    <span class={`mark ${props.mark}`} aria-hidden="true">
      {SIGN[props.mark]}
    </span>
  );
}
