import { call, quoted, resultOf, say, think, type Scene } from "../scene.ts";

export const delegation: Scene = {
  invitation: ["delegate", "a second session that works for this one"],
  hears: /\b(delegate|delegation|sub-?agent|helper)\b/i,
  needs: ["delegate"],
  steps: [
    () => [
      think("A small errand with an answer of its own."),
      say(
        "I give an errand to another session. It has its own log and its own page, nested under this one; while it works, this session waits without holding anything.",
      ),
      call("delegate", { prompt: "Look around in your workspace, and say what you found." }),
    ],
    (moment) => [
      say(
        "My delegate reports:",
        quoted(resultOf(moment), 20),
        "You could have watched, steered or stopped it on its own page.",
      ),
    ],
  ],
};
