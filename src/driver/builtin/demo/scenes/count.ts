import { call, resultOf, say, think, type Scene } from "../scene.ts";

/** Long enough to leave, and to kill a server in. */
export const count: Scene = {
  invitation: ["count to twenty", "a command of 20 seconds: leave, reload or `kill -9` the server meanwhile"],
  hears: /\b(count|twenty|long command|kill|crash(es)?|survives?)\b/i,
  needs: ["shell"],
  steps: [
    () => [
      think("Twenty seconds: time enough for them to leave and come back."),
      say(
        "I count to twenty in a real shell, one number a second. Meanwhile close this tab, look at another session, or `kill -9` the server and start it again: the command runs on without any of us.",
      ),
      call("shell", { command: 'for i in $(seq 1 20); do echo "tick $i"; sleep 1; done' }),
    ],
    (moment) => {
      const ticks = resultOf(moment)
        .matchAll(/\btick (\d+)/g)
        .map(([, number]) => Number(number))
        .toArray();
      const once =
        ticks.length === new Set(ticks).size
          ? "each of them once"
          : "some of them twice, which should not be";
      return [
        say(
          `It counted ${ticks.length} ticks, from ${ticks[0] ?? "none"} to ${ticks.at(-1) ?? "none"}, ${once}.`,
          "If the server died on the way, this is still the one command that was started then: its output and its exit code were read back, and it was not run again.",
        ),
      ];
    },
  ],
};
