// A schema of /openapi.json by its name, for routes that send what only openapi.ts loads the schema of.
import { z } from "zod";

export function published(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

export function asPublished(name: string): z.ZodType {
  return z.unknown().meta(published(name));
}
