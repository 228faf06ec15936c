// Moving a waiting input by dragging it, where there is a mouse; by keyboard and by touch there are buttons.
import { createSignal } from "solid-js";

export type Drag = {
  /** On which side of this one the dragged one would go. */
  sideOf(input: string): Side | undefined;
  begin(input: string, event: DragEvent): void;
  over(input: string, event: DragEvent & { currentTarget: HTMLElement }): void;
  /** The pointer is over none of them. */
  out(): void;
  /** The input before which it was dropped, null for the end; undefined where nothing is to be moved. */
  end(event: DragEvent): string | null | undefined;
};

type Side = "before" | "after";

export function createDrag(ids: () => readonly string[]): Drag {
  const [dragged, setDragged] = createSignal<string>();
  const [target, setTarget] = createSignal<{ input: string; side: Side }>();

  return {
    sideOf(input) {
      const now = target();
      return now?.input === input ? now.side : undefined;
    },
    begin(input, { dataTransfer }) {
      if (dataTransfer) dataTransfer.effectAllowed = "move";
      setDragged(input);
    },
    over(input, event) {
      if (dragged() === undefined) return; // a file, or something of another page
      event.preventDefault(); // it may be dropped here
      const { top, height } = event.currentTarget.getBoundingClientRect();
      const side = event.clientY < top + height / 2 ? "before" : "after";
      setTarget(input === dragged() ? undefined : { input, side });
    },
    out: () => setTarget(undefined),
    end({ dataTransfer }) {
      const place = dataTransfer?.dropEffect === "move" ? placeOf(ids(), dragged(), target()) : undefined;
      setDragged(undefined);
      setTarget(undefined);
      return place;
    },
  };
}

function placeOf(
  ids: readonly string[],
  dragged: string | undefined,
  target: { input: string; side: Side } | undefined,
): string | null | undefined {
  if (dragged === undefined || target === undefined) return undefined;
  const others = ids.filter((id) => id !== dragged);
  const at = others.indexOf(target.input);
  if (at < 0) return undefined; // it was taken meanwhile
  const place = target.side === "before" ? at : at + 1;
  return place === ids.indexOf(dragged) ? undefined : (others[place] ?? null);
}
