import { call, quoted, resultOf, say, think, type Scene } from "../scene.ts";

const PATH = "holdfast-tour.md";
const COUNT = "Count to five";
const ENOUGH = "That will do";

/** A command, a file and a question in one turn: the first thing to show to someone with one minute. */
export const tour: Scene = {
  invitation: ["show me everything", "a command, a file and a question in one turn"],
  hears: /\b(everything|tour|show me (around|what))\b/i,
  needs: ["shell", "write", "ask"],
  steps: [
    () => [
      think("First look, then write, then ask. Each step is in the log before the next begins."),
      say("One minute, three tools. First I look around:"),
      call("shell", { command: "ls -A | head -n 10; echo; uname -sr" }),
    ],
    (moment) => [
      say("That is what I found. I keep it in a file:"),
      call("write", { path: PATH, text: `# What the demo found\n\n${quoted(resultOf(moment))}\n` }),
    ],
    (moment) => [
      say(resultOf(moment), "Now a question. You may leave it open as long as you like."),
      call("ask", { question: "What next?", choices: [COUNT, ENOUGH] }),
    ],
    (moment) =>
      resultOf(moment).includes(COUNT)
        ? [
            say("Here it goes."),
            call("shell", { command: 'for i in 1 2 3 4 5; do echo "tick $i"; sleep 1; done' }),
          ]
        : [say(`Then this was the tour. The file is \`${PATH}\`; everything else is in this session's log.`)],
    (moment) => [
      say(
        quoted(resultOf(moment)),
        `This was the tour. The file is \`${PATH}\`; everything else is in this session's log.`,
      ),
    ],
  ],
};
