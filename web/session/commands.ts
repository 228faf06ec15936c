// What is typed and begins with a slash: carried out, or refused with the text left where it is.
import { createSignal, type Accessor } from "solid-js";
import { readSlash } from "../../src/client/slash.ts";
import { failureWords } from "../failure-words.ts";
import { SlashFault, type SlashDesk, type Told } from "./slash-desk.ts";
import { runSlash } from "./slash-runs.ts";

export type TypedCommands = {
  /** Why the last one was not carried out. */
  readonly fault: Accessor<string | undefined>;
  readonly told: Accessor<Told | undefined>;
  forget(): void;
  /** Undefined when it was a command; else the text that is to be sent. */
  take(): string | undefined;
};

export function createCommands(desk: () => SlashDesk): TypedCommands {
  const [fault, setFault] = createSignal<string>();
  const [told, setTold] = createSignal<Told>();

  return {
    fault,
    told,
    forget() {
      setFault(undefined);
      setTold(undefined);
    },
    take() {
      const { outbox } = desk();
      const typed = outbox.text;
      const read = readSlash(typed);
      setFault(undefined);
      if (read.type === "text") return read.text.trim();
      if (read.type === "unknown") {
        const name = read.name === "" ? "a command without a name" : `/${read.name}`;
        setFault(`There is no ${name}. /help lists what there is; to send it as it is, begin with //.`);
        return undefined;
      }
      setTold(undefined);
      runSlash(desk(), read.name, read.rest).then(
        (said) => {
          setTold(said);
          if (outbox.text === typed) outbox.setText("");
        },
        (error: unknown) => setFault(error instanceof SlashFault ? error.message : failureWords(error)),
      );
      return undefined;
    },
  };
}
