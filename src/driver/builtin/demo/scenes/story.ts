import { say, think, type Scene } from "../scene.ts";

/** Some ten seconds of text: reload in the middle, and no word is missing. */
export const story: Scene = {
  invitation: ["tell me a story", "a longer text: reload the page in mid-sentence"],
  hears: /\b(story|long text|tell me a)\b/i,
  needs: [],
  steps: [
    () => [
      think("There is a story in the name. I tell it slowly enough for a reload."),
      say(
        "On a rocky coast, where the swell comes in from a thousand miles of open water, a forest stands under the sea. Its trees are kelp. They have no roots, for there is nothing in the rock that they could drink. What they have instead is called a holdfast.",
        "A holdfast looks like a clenched hand. It takes nothing from the stone it grips; it only grips. While the blades far above are pulled towards the land and back again, sixty times an hour, it does the one thing it is there for, which is to be in the same place afterwards.",
        "One winter a storm came that the oldest fishermen still talk about. For three days nobody saw the forest. The waves tore the blades to ribbons, and the ribbons lay on the beach in heaps as high as a man. People walked along them and said: that was that.",
        "But in spring, when the water cleared, the hands were still there, each on its own stone. And from each of them grew a new blade, at the very place where the old one had been torn off. It did not begin anew. It went on.",
        "Small things had lived in those hands all along, by the way: brittle stars, young crabs, a blue-rayed limpet or two. They had hardly noticed.",
        "(If you reloaded while I told this, every word that you had seen was there before I said the next.)",
      ),
    ],
  ],
};
