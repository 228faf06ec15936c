import { call, resultOf, say, think, type Scene } from "../scene.ts";

export const stopBackground: Scene = {
  hears: /\b(stop|end|kill)\b.*\b(background|process(es)?|heartbeat|beat)\b/i,
  needs: ["process"],
  steps: [
    () => [
      think("I don't remember its id, and need not: the list has it, even after a reset."),
      say("I look which of my processes still run."),
      call("process", { action: "list" }),
    ],
    (moment) => {
      const heartbeat = resultOf(moment)
        .split("\n")
        .find((line) => line.includes("beat"));
      const [process] = /\bprc_\w[\w.-]*\w/.exec(heartbeat ?? resultOf(moment)) ?? [];
      if (process === undefined) return [say("Nothing of mine is running any more.")];
      return [say(`I stop \`${process}\`.`), call("process", { action: "stop", process })];
    },
    (moment) => [say(resultOf(moment), "Its output and how it ended stay in the archive.")],
  ],
};
