import { z } from "zod";
import type { Tool } from "./tool.ts";

const Args = z.strictObject({
  prompt: z
    .string()
    .min(1)
    .max(60_000)
    .describe("All that the other agent needs to know: it sees nothing of this conversation."),
  profile: z.string().optional(),
  background: z.boolean().optional().describe("Do not wait: the result comes as an input later."),
});

export const delegate: Tool<z.infer<typeof Args>> = {
  name: "delegate",
  description: "Gives a piece of work to another agent in a session of its own, and takes its answer.",
  args: Args,
  effect: "idempotent", // keyed by the call
  kind: "delegate",
  about: ({ prompt }, { workspace }) => ({
    title: prompt.slice(0, 200),
    subject: prompt,
    cwd: workspace,
    harmless: true,
  }),
  delegation: ({ prompt, profile, background = false }) => ({ prompt, profile, background }),
};
