// What the sessions of a round do, by the words of their prompt alone: a model that is asked again after a crash says the
// same. Every command leaves a line of its own in the world, with a token that nobody could have guessed.
import type { Answer } from "../stub-model.ts";
import type { Conversation } from "../agent-server.ts";

export const KINDS = ["talk", "command", "files", "approval", "background"] as const;
export type Kind = (typeof KINDS)[number];

export type Work = { name: string; kind: Kind };

/** The file in the workspace to which every command appends `<key> <token>`. */
export const LINES = "lines";

/** A file that is there from the beginning. */
export const THERE = "there.txt";

/** For the profile: what a person is asked about. */
export const PROFILE = `approvals = "auto"
[[profiles.default.rules]]
tool = "shell"
match = "*# may I"
decision = "ask"
`;

export const TALK = Array.from({ length: 24 }, (_, n) => `word${n}`).join(" ");

/** The exit code that each command ends with, by its key. */
export function exitOf(key: string): number {
  return key.endsWith("-1") ? 3 : 0;
}

export function promptOf({ name, kind }: Work): string {
  return `${name} ${kind}`;
}

/** What a session is told last, by its name: the results that really reached the model. */
export type Heard = Map<string, readonly string[]>;

export function conversation(heard: Heard): Conversation {
  return ({ prompts, results }) => {
    const [name = "", kind] = (prompts.at(-1) ?? "").split(" ");
    heard.set(name, results);
    return said(name, kind as Kind, results); // as promptOf wrote it
  };
}

function said(name: string, kind: Kind, results: readonly string[]): Answer {
  const done = results.length;
  const answer = { reply: "message", text: `All is done: ${done} results.` } as const;
  switch (kind) {
    case "talk":
      return { reply: "message", text: TALK, tokensPerSecond: 80 };
    case "command":
      if (done < 2) return calls("One after the other.", shell(`${name}-${done + 1}`));
      return answer;
    case "files":
      if (done > 0) return answer;
      return calls(
        "Three at once.",
        { name: "write", args: { path: `${name}.txt`, text: `of ${name}` } },
        shell(`${name}-1`),
        { name: "read", args: { path: THERE } },
      );
    case "approval":
      if (done > 0) return answer;
      return calls("May I?", shell(`${name}-1`, " # may I"));
    case "background":
      if (done > 0) return answer;
      return calls("Meanwhile.", shell(`${name}-1`, "", { background: true }));
  }
}

function calls(text: string, ...all: { name: string; args: Record<string, unknown> }[]): Answer {
  return { reply: "message", text, tokensPerSecond: 200, calls: all };
}

function shell(key: string, suffix = "", more: Record<string, unknown> = {}) {
  const command = `t=$$.$(date +%N); echo "${key} $t" >> ${LINES}; sleep 0.1; echo "said $t"; exit ${exitOf(key)}${suffix}`;
  return { name: "shell", args: { command, ...more } };
}
