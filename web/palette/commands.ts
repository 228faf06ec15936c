// What can be done by keyboard, wherever one is. Each feature adds its own commands; the palette lists those that fit,
// the help lists those with keys, and the keys work without opening anything.
import { createSignal, onCleanup } from "solid-js";

export type Command = {
  /** Stable, such as `session.stop`. */
  id: string;
  /** A verb and its object, in sentence case: "Stop the turn". */
  title: string;
  /** Words that lead to it beside those of its title. */
  also?: string;
  /** One combination, `mod` being ⌘ or Ctrl: "mod+k", "mod+shift+o". It works while typing too. */
  keys?: string;
  /** Whether it fits where one is; without it, it always does. */
  when?: () => boolean;
  /** A refusal of the server may be thrown: whoever ran the command says it. */
  run: () => void | Promise<void>;
};

const [known, setKnown] = createSignal<readonly Command[]>([]);
export { known as knownCommands };

/** For as long as the calling component is there. */
export function addCommands(commands: readonly Command[]): void {
  setKnown((before) => [...before, ...commands]);
  onCleanup(() => setKnown((before) => before.filter((command) => !commands.includes(command))));
}

/** Those that fit now, in the order in which they were added. */
export function fittingCommands(): readonly Command[] {
  return known().filter(({ when }) => when?.() ?? true);
}
