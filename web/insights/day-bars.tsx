// A bar for each day, of one or more parts on top of each other. Whoever does not see them hears each day with its words.
import { For, Show } from "solid-js";
import { dayWords, hasLabel } from "./days.ts";

export type Day = { day: string; parts: readonly number[]; words: string };

export function DayBars(props: {
  title: string;
  days: readonly Day[];
  parts?: readonly string[];
  /** What the highest bar stands for, in words. */
  scale: (highest: number) => string;
}) {
  const highest = () => Math.max(...props.days.map(({ parts }) => sum(parts)));
  const share = (value: number) => (highest() > 0 ? (value / highest()) * 100 : 0);
  return (
    <figure class="day-bars">
      <figcaption>
        <h2>{props.title}</h2>
        <For each={props.parts}>{(name, n) => <span class={`legend part-${n()}`}>{name}</span>}</For>
        <Show when={highest() > 0}>
          <span class="highest">up to {props.scale(highest())} a day</span>
        </Show>
      </figcaption>
      <ol aria-label={props.title}>
        <For each={props.days}>
          {({ day, parts, words }, n) => (
            <li title={`${dayWords(day)}: ${words}`}>
              <span class="unseen">
                {dayWords(day)}: {words}
              </span>
              <For each={parts}>
                {(part, at) => <span class={`bar part-${at()}`} style={{ height: `${share(part)}%` }} />}
              </For>
              <Show when={hasLabel(n(), props.days.length)}>
                <span class="day" aria-hidden="true">
                  {dayWords(day)}
                </span>
              </Show>
            </li>
          )}
        </For>
      </ol>
    </figure>
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
