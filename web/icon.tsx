// Small signs drawn in the colour of the text beside them. They say nothing by themselves: the words do, or a label.
import { For } from "solid-js";

/** Each on a grid of 16, as strokes; a sign may take several. */
const STROKES = {
  archive: ["M2.5 3h11v3h-11zM3.5 6v7h9V6", "M6.5 8.75h3"],
  arrowDown: ["M8 2.5v11M3.75 9.25 8 13.5l4.25-4.25"],
  bars: ["M3.5 13.5v-4M8 13.5v-11M12.5 13.5v-7"],
  bell: ["M8 2a4 4 0 0 0-4 4c0 4-1.5 5-1.5 5h11S12 10 12 6a4 4 0 0 0-4-4z", "M6.75 13.5a1.4 1.4 0 0 0 2.5 0"],
  check: ["m3 8.5 3.25 3.25L13 4.5"],
  chevronDown: ["m4 6 4 4 4-4"],
  chevronLeft: ["m10 4-4 4 4 4"],
  chevronRight: ["m6 4 4 4-4 4"],
  chevronUp: ["m4 10 4-4 4 4"],
  clock: ["M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z", "M8 4.75V8l2.25 1.5"],
  close: ["m3.75 3.75 8.5 8.5M12.25 3.75l-8.5 8.5"],
  copy: ["M6 5.5h7.5v8H6z", "M3.5 10.5h-1v-8H10v1"],
  device: ["M2.5 3h11v7.5h-11z", "M5.5 13.5h5M8 10.5v3"],
  download: ["M8 2.5v7.25M4.75 6.75 8 10l3.25-3.25", "M2.5 13.5h11"],
  file: ["M9.5 2H4v12h8V4.5zM9.5 2v2.5H12"],
  fork: [
    "M6 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM13 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM6 12.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z",
    "M4.5 5v6M11.5 5c0 3-7 2.5-7 6",
  ],
  globe: ["M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z", "M2 8h12M8 2c3.5 4 3.5 8 0 12M8 2c-3.5 4-3.5 8 0 12"],
  inbox: ["M2.5 9 4.5 3h7l2 6v4h-11z", "M2.5 9h3.25l1 1.75h2.5l1-1.75h3.25"],
  key: ["M8.5 10.5a3 3 0 1 1-6 0 3 3 0 0 1 6 0z", "m7.75 8.25 5.5-5.5M10.75 5.25l2 2"],
  link: [
    "M6.75 9.25a2.75 2.75 0 0 0 4 0l2-2a2.8 2.8 0 0 0-4-4l-1 1",
    "M9.25 6.75a2.75 2.75 0 0 0-4 0l-2 2a2.8 2.8 0 0 0 4 4l1-1",
  ],
  menu: ["M3.5 8h.01M8 8h.01M12.5 8h.01"],
  moon: ["M13.25 9.5A5.75 5.75 0 0 1 6.5 2.75a5.75 5.75 0 1 0 6.75 6.75z"],
  panel: ["M2 3h12v10H2z", "M10 3v10"],
  paperclip: [
    "m12.75 7.5-5 5a2.9 2.9 0 0 1-4.25-4.25L8.75 3a2 2 0 0 1 2.9 2.9l-5 5a1 1 0 0 1-1.5-1.5l4.6-4.65",
  ],
  pencil: ["M3 13l.75-3 7-7 2.25 2.25-7 7z", "m9.25 4.5 2.25 2.25"],
  pin: ["M5.5 2.5h5M6.25 2.5v4.25L4 9.5h8L9.75 6.75V2.5", "M8 9.5V14"],
  plus: ["M8 3v10M3 8h10"],
  print: ["M4.5 6V2.5h7V6", "M4.5 11.5h-2V6h11v5.5h-2", "M4.5 9.5h7v4h-7z"],
  question: ["M5.5 6a2.5 2.5 0 1 1 3.75 2.15C8.35 8.7 8 9.1 8 10.25", "M8 13h.01"],
  retry: ["M13 8a5 5 0 1 1-1.75-3.8", "M13 2.5v2.75h-2.75"],
  search: ["M11.5 7A4.5 4.5 0 1 1 2.5 7a4.5 4.5 0 0 1 9 0z", "m10.25 10.25 3.25 3.25"],
  send: ["M8 13.5v-11M3.75 6.75 8 2.5l4.25 4.25"],
  settings: [
    "M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5",
    "M11.5 4.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM8.5 11.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0z",
  ],
  stop: ["M4 4h8v8H4z"],
  sun: [
    "M10.75 8a2.75 2.75 0 1 1-5.5 0 2.75 2.75 0 0 1 5.5 0z",
    "M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  ],
  /** Half light, half dark: as the system has it. */
  system: ["M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z", "M8 2v12M8 5h4.75M8 8h6M8 11h4.75"],
  terminal: ["M2 3h12v10H2z", "m4.5 6 2 2-2 2M8.5 10.25h3"],
  trash: ["M2.75 4h10.5M6 4V2.5h4V4M4 4l.6 9.5h6.8L12 4", "M6.75 6.75v4M9.25 6.75v4"],
  undo: ["M5.5 3 2.75 5.75 5.5 8.5", "M2.75 5.75H9.5a3.75 3.75 0 0 1 0 7.5H6"],
  warning: ["M8 2.25 14.25 13H1.75z", "M8 6.5v3M8 11.25h.01"],
} as const;

export type IconName = keyof typeof STROKES;

export function Icon(props: { name: IconName; class?: string }) {
  return (
    <svg
      class={`icon ${props.class ?? ""}`}
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width={props.name === "menu" ? 2.2 : 1.4}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <For each={STROKES[props.name]}>{(d) => <path d={d} />}</For>
    </svg>
  );
}
