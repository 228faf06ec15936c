import { z } from "zod";
import { ALL_FILES } from "./target.ts";
import type { Tool } from "./tool.ts";

const Args = z.strictObject({
  prompt: z
    .string()
    .min(1)
    .max(60_000)
    .describe("All that the other agent needs to know: it sees nothing of this conversation."),
  profile: z
    .string()
    .optional()
    .describe(
      "Of the other agent; without it one like you. One that may do more than you is put to a person.",
    ),
  background: z.boolean().optional().describe("Do not wait: the result comes as an input later."),
});

export const delegate: Tool<z.infer<typeof Args>> = {
  name: "delegate",
  description: "Gives a piece of work to another agent in a session of its own, and takes its answer.",
  args: Args,
  effect: "idempotent", // keyed by the call
  kind: "delegate",
  about: ({ prompt, profile }, { workspace }) => ({
    title: `${profile === undefined ? "" : `to ${profile}: `}${prompt.slice(0, 200)}`,
    subject: prompt,
    cwd: workspace,
    harmless: true, // of itself; what the other may do is for the executor to see
  }),
  looksAt: () => Promise.resolve(ALL_FILES),
  delegation: ({ prompt, profile, background = false }) => ({ prompt, profile, background }),
};
