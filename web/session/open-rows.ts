// What a person has opened in a transcript. It is kept here and not in the rows: those leave the document when they are
// scrolled out of it, and are open again when they are back.
import { createSignal, type Accessor } from "solid-js";
import { useSession } from "./session-context.ts";

const OPENED_MAX = 1000;

/** In the order in which they were opened. */
const [opened, setOpened] = createSignal<ReadonlySet<string>>(new Set());

/** `name` is unique within the session. */
export function createOpen(
  name: () => string,
): [isOpen: Accessor<boolean>, setOpen: (isOpen: boolean) => void] {
  const { id } = useSession();
  const key = () => `${id} ${name()}`;
  return [
    () => opened().has(key()),
    (isOpen) => {
      if (opened().has(key()) === isOpen) return;
      const others = [...opened()].filter((each) => each !== key());
      setOpened(new Set([...others, ...(isOpen ? [key()] : [])].slice(-OPENED_MAX)));
    },
  ];
}
