// Which scene is played, and what happens when it does not go by the script: a person said no, a command failed, nobody
// knows what became of it.
import type { Moment } from "./moment.ts";
import { quoted, say, think, type Line, type Scene } from "./scene.ts";
import { approval } from "./scenes/approval.ts";
import { background } from "./scenes/background.ts";
import { count } from "./scenes/count.ts";
import { delegation } from "./scenes/delegation.ts";
import { look } from "./scenes/look.ts";
import { mistake } from "./scenes/mistake.ts";
import { note } from "./scenes/note.ts";
import { question } from "./scenes/question.ts";
import { stopBackground } from "./scenes/stop-background.ts";
import { story } from "./scenes/story.ts";
import { tour } from "./scenes/tour.ts";

/** The first that hears its word is played. */
const SCENES: readonly Scene[] = [
  tour,
  stopBackground,
  count,
  look,
  note,
  question,
  approval,
  delegation,
  background,
  mistake,
  story,
];

export function linesFor(moment: Moment): Line[] {
  if (moment.tools.size === 0) return [say(summary(moment))];
  const scene = SCENES.find(({ hears }) => hears.test(moment.prompt));
  if (!scene) return moment.earlier.length === 0 ? welcome(moment) : lost(moment);
  const missing = scene.needs.filter((tool) => !moment.tools.has(tool));
  if (missing.length > 0) return [say(withoutTools(missing))];
  if (moment.steers.some((text) => /\b(stop|enough|cancel)\b/i.test(text))) return [say("Then I stop here.")];
  const trouble = moment.results.find(({ status }) => status !== "ok");
  if (trouble && !(trouble.status === "error" && scene.wantsErrors)) return [say(...troubleWith(trouble))];
  const step = scene.steps[moment.step];
  return [...heard(moment.steers), ...(step ? step(moment) : [say("That was all of it.")])];
}

function welcome(moment: Moment): Line[] {
  return [
    think("Someone new. First of all they should know what I am."),
    say(
      "Hello! I am Holdfast's demo model: a script, not an AI. I need no key and no network, but the tools that I call are real, and so is everything around me.",
      "What Holdfast does: this session is a log that outlives your tab, your laptop's sleep and the server itself. Work goes on while you are away, or resumes where it stopped. Nothing that was shown is lost, and nothing that was done is done twice.",
      `Try me. Write one of these, or something like it:\n\n${menu(moment)}`,
      "For a real model set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or name a local server in `config.toml`, and start Holdfast again.",
    ),
  ];
}

function lost(moment: Moment): Line[] {
  const said = moment.prompt.slice(0, 120).replaceAll("`", "'");
  return [say(`I am only a script, and have no scene for \`${said}\`. What I can show:\n\n${menu(moment)}`)];
}

function menu({ tools }: Moment): string {
  return SCENES.flatMap(({ invitation, needs }) =>
    invitation && needs.every((tool) => tools.has(tool)) ? [`- \`${invitation[0]}\`: ${invitation[1]}`] : [],
  ).join("\n");
}

function withoutTools(missing: readonly string[]): string {
  const named = missing.map((tool) => `\`${tool}\``).join(" and ");
  return `For that I need ${named}, which this profile does not have. Its list of tools is in \`config.toml\`.`;
}

/** Not a stop: it goes on, and the person sees that they were heard. */
function heard(steers: readonly string[]): Line[] {
  return steers.map((text) =>
    say(
      `I heard you while I was at work:\n\n${quoted(text, 3)}\n\nA real model would turn; I follow my script.`,
    ),
  );
}

function troubleWith({ name, status, result }: Moment["results"][number]): string[] {
  switch (status) {
    case "denied":
      return [
        `You said no to \`${name}\`, so it did not run:`,
        quoted(result, 3),
        "The answer is in the log for good, with who gave it and when. A real model would look for another way.",
      ];
    case "unknown":
      return [
        `Nobody knows what became of \`${name}\`:`,
        quoted(result, 3),
        "Whoever ran it died and left no trace. Holdfast does not guess and does not run it again: it says so, and a real model would now look before it acts.",
      ];
    case "error":
    case "stopped":
    case "ok":
      return [
        `\`${name}\` did not work:`,
        quoted(result, 6),
        "That is a result like any other: the model sees it, and the session goes on. Try me again.",
      ];
  }
}

/** Without tools it is a summary that is wanted, for a context that grew too long. */
function summary({ earlier, prompt }: Moment): string {
  const asked = [...earlier, prompt]
    .slice(-20)
    .map((text) => `- ${text.split("\n", 1).join().slice(0, 120)}`);
  return `A summary by the demo model, which can only list what it was told:\n\n${asked.join("\n")}`;
}
