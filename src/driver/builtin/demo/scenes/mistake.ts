import { call, quoted, resultOf, say, think, type Scene } from "../scene.ts";

export const mistake: Scene = {
  invitation: ["make a mistake", "a call that fails, and a session that does not mind"],
  hears: /\b(mistake|error|fail(s|ure)?|wrong)\b/i,
  needs: ["read"],
  wantsErrors: true,
  steps: [
    () => [
      think("A file that is not there will do."),
      say("I read a file that does not exist."),
      call("read", { path: "there-is-no-such-file.txt" }),
    ],
    (moment) => [
      say(
        "As expected:",
        quoted(resultOf(moment), 3),
        "A failure is a result like any other. The model sees it and decides; nothing is retried behind its back, and the turn ends as it should.",
      ),
    ],
  ],
};
