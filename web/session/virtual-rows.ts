// Which rows of a long list are in the document: those in view and a few around them, one below the other, with the
// height of the others left blank. A row that is in view stays where it is, whatever comes or goes above it.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/solid-virtual";
import { createComputed, createEffect, createSignal, on, onCleanup, untrack, type Accessor } from "solid-js";

export type VirtualRows = {
  /** In their order, so that a row which stays is not made anew. */
  mounted: Accessor<readonly string[]>;
  /** The index of the first of them. */
  first: Accessor<number>;
  /** What is blank above them, and the height of all rows. */
  blankPx: Accessor<number>;
  heightPx: Accessor<number>;
  /** A row that has just been put into the document; it says its index by `data-index`. */
  measure: (row: HTMLElement) => void;
  /** Which row stands at the top of the window, and by how much it reaches out of it. */
  atTop(): { index: number; belowPx: number } | undefined;
  scrollTo(index: number, belowPx: number): void;
  center(index: number): void;
  toStart(): void;
  toEnd(): void;
};

export type RowsOptions = {
  keys: Accessor<readonly string[]>;
  estimatePx(index: number): number;
  scroller(): HTMLElement;
  /** The height of what stands in the same box below the rows. */
  belowPx: Accessor<number>;
  /** Where it begins, before anything has been measured. */
  start: { index: number; belowPx: number } | "end";
};

export const ROW_GAP_PX = 12;
export const ABOVE_PX = 18;
const OVERSCAN = 8;
/** Rows that come into view are measured, and may move the others: after so many rounds it is near enough. */
const ROUNDS_MAX = 6;
/** Further than any list is long: the browser stops at its end. */
const FAR_PX = 10_000_000;

type Layout = { mounted: readonly string[]; first: number; blankPx: number; heightPx: number };

export function createVirtualRows(options: RowsOptions): VirtualRows {
  const [layout, setLayout] = createSignal<Layout>({ mounted: [], first: 0, blankPx: 0, heightPx: 0 });
  /** Tells the virtualizer at once where we have scrolled to; the browser's event comes a frame later. */
  let report: () => void = () => {};
  const virtualizer = new Virtualizer(untrack(current));

  createComputed(() => {
    virtualizer.setOptions(current());
    untrack(publish);
  });
  // After the document has taken the new heights: before that there may be no room to scroll to.
  createEffect(on([options.keys, options.belowPx], () => virtualizer._willUpdate()));
  onCleanup(virtualizer._didMount());

  return {
    mounted: () => layout().mounted,
    first: () => layout().first,
    blankPx: () => layout().blankPx,
    heightPx: () => layout().heightPx,
    measure: (row) => virtualizer.measureElement(row),
    atTop() {
      const top = options.scroller().scrollTop;
      const item = virtualizer.getVirtualItemForOffset(top);
      return item && { index: item.index, belowPx: top - item.start };
    },
    scrollTo(index, belowPx) {
      settle(() => startOf(index) + belowPx);
    },
    center: (index) => virtualizer.scrollToIndex(index, { align: "center" }),
    toStart: () => settle(() => 0),
    toEnd() {
      settle(() => options.scroller().scrollHeight - options.scroller().clientHeight);
    },
  };

  /** Again and again, since the rows that this brings into view have other heights than were thought. */
  function settle(target: () => number): void {
    const scroller = options.scroller();
    virtualizer.cancelScroll();
    for (let round = 0, last = -1; round < ROUNDS_MAX; round++) {
      const top = Math.max(0, Math.round(target()));
      if (top === last) return;
      last = top;
      scroller.scrollTop = top;
      report();
    }
  }

  function current(): VirtualizerOptions<HTMLElement, HTMLElement> {
    const keys = options.keys();
    return {
      count: keys.length,
      getItemKey: (index) => keys[index] ?? index,
      estimateSize: (index) => options.estimatePx(index),
      getScrollElement: () => options.scroller(),
      initialOffset: () => (options.start === "end" ? FAR_PX : startOf(options.start.index)),
      anchorTo: "end",
      overscan: OVERSCAN,
      gap: ROW_GAP_PX,
      paddingStart: ABOVE_PX,
      paddingEnd: options.belowPx(),
      observeElementRect,
      observeElementOffset(instance, hear) {
        report = () => hear(options.scroller().scrollTop, false);
        return observeElementOffset(instance, hear);
      },
      scrollToFn: elementScroll,
      onChange() {
        publish();
        virtualizer._willUpdate();
      },
    };
  }

  function startOf(index: number): number {
    virtualizer.getTotalSize(); // brings the measurements up to date
    return virtualizer.measurementsCache[index]?.start ?? 0;
  }

  function publish(): void {
    const items = virtualizer.getVirtualItems();
    setLayout({
      mounted: items.map(({ key }) => String(key)),
      first: items[0]?.index ?? 0,
      blankPx: items[0]?.start ?? 0,
      heightPx: virtualizer.getTotalSize() - untrack(options.belowPx),
    });
  }
}
