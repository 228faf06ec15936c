// Tools as a model is told of them.
import { z } from "zod";
import type { ToolSpec } from "../driver/driver.ts";
import type { Tool } from "../tool/tool.ts";

export function toolSpecs(tools: ReadonlyMap<string, Tool>): ToolSpec[] {
  return Array.from(tools.values(), ({ name, description, args }) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(args, { io: "input" });
    return { name, description, parameters };
  });
}
