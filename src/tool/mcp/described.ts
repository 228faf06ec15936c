// The tools of an MCP server as it describes them, read one by one: what one of them lacks is no reason to be without the
// others.
import { z } from "zod";

export type DescribedTool = z.infer<typeof Described>;

const Words = z.string().optional().catch(undefined);

/** What providers take: one that is something else would have them refuse the whole request, with all other tools in it. */
const Parameters = z.looseObject({
  type: z.literal("object").catch("object"),
  properties: z.record(z.string(), z.looseObject({}).catch({})).catch({}),
  required: z.array(z.string()).optional().catch(undefined),
});

const Described = z.object({
  name: z.string().min(1),
  title: Words,
  description: Words,
  inputSchema: Parameters.catch({ type: "object", properties: {} }),
});

/** Without those that have no name: nobody can call them. */
export function describedTools({ tools }: Readonly<Record<string, unknown>>): DescribedTool[] {
  if (!Array.isArray(tools)) throw new Error("it gave no list of its tools");
  return tools.flatMap((tool) => Described.safeParse(tool).data ?? []);
}
