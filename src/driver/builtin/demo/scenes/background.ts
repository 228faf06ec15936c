import { call, quoted, resultOf, say, think, type Scene } from "../scene.ts";

/** Ten minutes, so that it ends by itself when it is forgotten. */
export const HEARTBEAT = 'for i in $(seq 1 300); do echo "beat $i"; sleep 2; done';

export const background: Scene = {
  invitation: [
    "start something in the background",
    "a process that outlives this turn, with its output and a way to stop it",
  ],
  hears: /\b(background|process(es)?|server|daemon)\b/i,
  needs: ["shell", "process"],
  steps: [
    () => [
      think("Something that keeps running after I am done."),
      say(
        "I start a small heartbeat in the background: one line every two seconds, for ten minutes. I don't wait for it.",
      ),
      call("shell", { command: HEARTBEAT, background: true }),
    ],
    () => [say("It runs. This is what the process tool shows of it:"), call("process", { action: "list" })],
    (moment) => [
      say(
        quoted(resultOf(moment)),
        "You see the same in the panel of processes and with `holdfast ps`. It survives the server. Write `stop the background process` when you have seen enough.",
      ),
    ],
  ],
};
