import { z } from "zod";
import type { Tool } from "./tool.ts";

const Args = z.strictObject({
  question: z.string().min(1).max(4000),
  choices: z.array(z.string().min(1).max(300)).max(20).optional(),
  multiple: z.boolean().optional().describe("Several of the choices may be taken."),
});

export const ask: Tool<z.infer<typeof Args>> = {
  name: "ask",
  description: "Asks the person a question and waits for the answer, however long that takes.",
  args: Args,
  effect: "read",
  kind: "ask",
  about: ({ question }, { workspace }) => ({
    title: question,
    subject: question,
    cwd: workspace,
    harmless: true,
  }),
  question: ({ question, choices = [], multiple = false }) => ({
    title: question,
    choices: choices.map((label, n) => ({ id: String(n + 1), label })),
    multiple,
  }),
};
