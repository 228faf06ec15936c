import { call, quoted, resultOf, say, think, type Line, type Scene } from "../scene.ts";

const PATH = "hello.txt";
const GREETING = "A greeting";
const HAIKU = "A haiku";
const NOTHING = "Nothing, thank you";

export const question: Scene = {
  invitation: ["ask me something", "a question that waits for you, for days if need be"],
  hears: /\b(ask me|question|clarify|choose|choice)\b/i,
  needs: ["ask", "write"],
  steps: [
    () => [
      think("The answer decides what I do next."),
      say(
        "I have a question. It stays open until someone answers it, here or on another device; meanwhile this session holds nothing but a row in the store.",
      ),
      call("ask", { question: `What shall I write into ${PATH}?`, choices: [GREETING, HAIKU, NOTHING] }),
    ],
    (moment) => answered(resultOf(moment)),
    (moment) => [say(resultOf(moment), "Ask me to `look around`, and you will see it.")],
  ],
};

/** A choice, or words of the person's own. */
function answered(answer: string): Line[] {
  if (answer.includes(NOTHING))
    return [say("Then I leave everything as it is. Also an answer, and also in the log.")];
  return [
    say("You answered:", quoted(answer, 3), `I write it into \`${PATH}\`.`),
    call("write", { path: PATH, text: textFor(answer) }),
  ];
}

function textFor(answer: string): string {
  if (answer.includes(GREETING)) return "Hello from Holdfast.\n";
  if (answer.includes(HAIKU))
    return "The tide pulls and goes.\nA small hand on the old stone\nhas not let go yet.\n";
  return `${answer.slice(0, 2_000)}\n`;
}
