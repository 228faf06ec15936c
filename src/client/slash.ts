// Slash commands: their names, what may follow them and what they are for, the same in the page's composer and in
// `holdfast chat`. What each does is up to where it is typed.

export type SlashCommand = {
  name: string;
  /** What may follow it; in angle brackets what must. */
  args: string;
  about: string;
};

export const SLASH_COMMANDS = [
  { name: "help", args: "", about: "this list" },
  { name: "stop", args: "", about: "stop the turn that runs" },
  { name: "steer", args: "<text>", about: "into the turn that runs, before its next step" },
  { name: "queue", args: "[release | <text>]", about: "show what waits, let it go on, or add to it" },
  { name: "approve", args: "[session | always]", about: "allow what is asked for" },
  { name: "deny", args: "[why]", about: "deny what is asked for" },
  { name: "retry", args: "", about: "go on with a failed turn, or have the last anew" },
  { name: "undo", args: "", about: "go back to before the last turn" },
  { name: "new", args: "", about: "begin a new session" },
  { name: "fork", args: "", about: "go on in a session of its own from here" },
  { name: "sessions", args: "", about: "the newest sessions" },
  { name: "resume", args: "<session>", about: "turn to another session" },
  { name: "title", args: "<title>", about: "name the session" },
  { name: "model", args: "[provider/model]", about: "show or change the model" },
  { name: "ps", args: "", about: "the processes that this session has started" },
  { name: "rules", args: "", about: "what was allowed for good" },
  { name: "usage", args: "", about: "what this session has used, and all of them" },
  { name: "status", args: "", about: "everything that runs and waits" },
  { name: "export", args: "[md | jsonl]", about: "save the whole session as a file" },
] as const satisfies readonly SlashCommand[];

export type SlashName = (typeof SLASH_COMMANDS)[number]["name"];

export type Typed =
  | { type: "text"; text: string }
  | { type: "command"; name: SlashName; rest: string }
  | { type: "unknown"; name: string };

/** Two slashes, or a space in front of one, say that it is meant as it stands; and a path is no command. */
export function readSlash(typed: string): Typed {
  if (typed.startsWith("//")) return { type: "text", text: typed.slice(1) };
  const [, word, rest = ""] = /^\/([a-z]*)(?:\s+([\s\S]*))?$/i.exec(typed.trimEnd()) ?? [];
  if (word === undefined || !typed.startsWith("/")) return { type: "text", text: typed };
  const name = word.toLowerCase();
  const command = SLASH_COMMANDS.find((each) => each.name === name);
  return command
    ? { type: "command", name: command.name, rest: rest.trim() }
    : { type: "unknown", name: word };
}

/** Which commands it may become, while only the beginning of a name is typed; those that begin so come first. */
export function slashChoices(typed: string): (typeof SLASH_COMMANDS)[number][] {
  const [, begun] = /^\/([a-z]*)$/i.exec(typed) ?? [];
  if (begun === undefined) return [];
  const part = begun.toLowerCase();
  const starting = SLASH_COMMANDS.filter(({ name }) => name.startsWith(part));
  const within = SLASH_COMMANDS.filter(({ name }) => name.includes(part) && !name.startsWith(part));
  return [...starting, ...within];
}

export function needsText({ args }: SlashCommand): boolean {
  return args.startsWith("<");
}
