// Tools as a model is told of them.
import { z } from "zod";
import type { ToolSpec } from "../driver/driver.ts";
import type { Tool } from "../tool/tool.ts";

/** Of a profile's tools, which stay as they are: putting eight into words takes half a millisecond. */
const known = new WeakMap<ReadonlyMap<string, Tool>, ToolSpec[]>();

export function toolSpecs(tools: ReadonlyMap<string, Tool>): ToolSpec[] {
  const specs = known.get(tools) ?? specsOf(tools);
  known.set(tools, specs);
  return specs;
}

function specsOf(tools: ReadonlyMap<string, Tool>): ToolSpec[] {
  return Array.from(tools.values(), ({ name, description, args, parameters: given }) => {
    const { $schema: _, ...parameters } = given ?? z.toJSONSchema(args, { io: "input" });
    return { name, description, parameters };
  });
}
