import { call, quoted, resultOf, say, think, type Scene } from "../scene.ts";

const PATH = "holdfast-demo.md";
const TEXT = `# A note by Holdfast's demo model

- [x] written with \`write\`
- [ ] changed with \`edit\`

You may delete this file.
`;

export const note: Scene = {
  invitation: ["write a note", `a file that is written, edited and read back (\`${PATH}\`)`],
  hears: /\b(write|note|edit|file)\b/i,
  needs: ["write", "edit", "read"],
  steps: [
    () => [
      think("A file of my own, so that nothing of theirs is touched."),
      say(`I write \`${PATH}\` into the workspace.`),
      call("write", { path: PATH, text: TEXT }),
    ],
    () => [
      say(
        "Now I change one line. An edit is checked against the file's present text, so it can't be done twice.",
      ),
      call("edit", { path: PATH, old: "- [ ] changed", new: "- [x] changed" }),
    ],
    () => [say("And I read it back."), call("read", { path: PATH })],
    (moment) => [
      say(
        "This is in the file now:",
        quoted(resultOf(moment)),
        "Three calls, three results, all in the log. Had the server died between any two of them, I would have gone on from there.",
      ),
    ],
  ],
};
