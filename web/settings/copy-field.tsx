// A text to take elsewhere: it can be copied by a button, and by hand where the browser lets no page copy.
import { createSignal, onMount } from "solid-js";
import { copyText } from "../copy.ts";

export function CopyField(props: { label: string; text: string }) {
  const [state, setState] = createSignal<"new" | "copied" | "by-hand">("new");
  let field!: HTMLInputElement;
  onMount(() => field.focus());

  /** Backwards, so that its beginning is what is seen. */
  function selectAll(): void {
    field.setSelectionRange(0, props.text.length, "backward");
  }

  async function copy(): Promise<void> {
    const isCopied = await copyText(props.text);
    selectAll();
    setState(isCopied ? "copied" : "by-hand");
  }

  return (
    <div class="copy-field">
      <label>
        {props.label}
        <input ref={field} readonly value={props.text} onFocus={selectAll} />
      </label>
      <button class="go" type="button" onClick={() => void copy()}>
        Copy
      </button>
      <span class="note" role="status">
        {state() === "copied" ? "Copied." : state() === "by-hand" ? "Copy it by hand: it is selected." : ""}
      </span>
    </div>
  );
}
