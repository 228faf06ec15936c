import { call, quoted, resultOf, say, think, type Scene } from "../scene.ts";

export const look: Scene = {
  invitation: ["look around", "two commands at once in the workspace"],
  hears: /\b(look around|list (the )?files|what files|ls)\b/i,
  needs: ["shell"],
  steps: [
    () => [
      think("Two commands that only look. They can run side by side."),
      say("I look where I am. These are two real commands in this session's workspace, side by side."),
      call("shell", { command: "pwd; ls -A | head -n 20" }),
      call("shell", { command: "uname -sr; date" }),
    ],
    (moment) => {
      const [where = "", ...entries] = resultOf(moment).split("\n");
      const found = entries.length === 0 ? "It is empty." : `It has ${entries.length} entries to show:`;
      return [
        say(
          `I am in \`${where}\`. ${found}`,
          ...(entries.length > 0 ? [quoted(entries.join("\n"))] : []),
          "And the machine says:",
          quoted(resultOf(moment, 1), 3),
        ),
      ];
    },
  ],
};
