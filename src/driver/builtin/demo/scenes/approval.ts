import { call, quoted, resultOf, say, think, type Scene } from "../scene.ts";

const PATH = "approved-by-you.txt";

export const approval: Scene = {
  invitation: ["show me an approval", "a command that wants your permission first"],
  hears: /\b(approval|approve|permission|allow)\b/i,
  needs: ["shell"],
  steps: [
    () => [
      think("It changes something, so it is theirs to decide."),
      say(
        `I want to run a command that makes a file, \`${PATH}\`. You will see its exact bytes, and what you allow is bound to them: another command would have to ask again.`,
      ),
      call("shell", { command: `touch ${PATH} && ls -l ${PATH}` }),
    ],
    (moment) => [
      say(
        "It ran:",
        quoted(resultOf(moment), 3),
        "If nobody asked you, it ran in the sandbox, a rule allowed it, or this profile approves by itself. `Always` would have saved a rule, which you can see and revoke under Rules.",
      ),
    ],
  ],
};
