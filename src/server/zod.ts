// Fastify with Zod: a route's schemas type its handler, check what comes in and are the API's description.
import type {
  FastifyBaseLogger,
  FastifyServerOptions,
  FastifyInstance,
  FastifyTypeProvider,
  RawServerDefault,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
} from "fastify";
import type { z } from "zod";
import { SchemaError } from "./errors.ts";

export interface Zod extends FastifyTypeProvider {
  validator: this["schema"] extends z.ZodType ? z.output<this["schema"]> : unknown;
  // Answers are not parsed again: what a handler returns is what is sent.
  serializer: this["schema"] extends z.ZodType ? z.input<this["schema"]> : unknown;
}

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  Zod
>;

declare module "fastify" {
  interface FastifySchema {
    summary?: string;
    /**
     * What is answered where that is not JSON that a handler returns: media types by status, none for an answer without a
     * body. A type may bring the name of its schema in /openapi.json.
     */
    answers?: Record<number, readonly (string | readonly [type: string, schema: string])[]>;
    /** What goes over a socket, by the names of the schemas. */
    frames?: { client: string; server: string };
    /** A body that is not JSON: its media type. */
    takes?: string;
    /** Headers that are heeded, and what for. */
    heeds?: Record<string, string>;
  }
}

/** As the factory's own option rather than set afterwards: then Ajv and its kin are not even loaded. */
export const zodCompilers = {
  compilersFactory: { buildValidator: () => validatorOf, buildSerializer: () => () => JSON.stringify },
} as unknown as NonNullable<FastifyServerOptions["schemaController"]>; // whose types know Ajv's schemas only

function validatorOf({ schema, httpPart }: { schema: z.ZodType; httpPart?: string }) {
  const part = httpPart === "querystring" ? "query" : (httpPart ?? "request");
  return (data: unknown) => {
    const parsed = schema.safeParse(data);
    if (parsed.success) return { value: parsed.data as unknown };
    const { issues } = parsed.error;
    const faults = issues.map(({ path, message }) => ({
      path: [part, ...path].map(String).join("."),
      message: part === "query" && isGivenTwice(data, path[0]) ? "was given more than once" : message,
    }));
    const tooLarge = issues.some(({ code, path }) => code === "too_big" && path.at(-1) === "text");
    return { error: new SchemaError(part, faults, tooLarge) };
  };
}

function isGivenTwice(query: unknown, name: PropertyKey | undefined): boolean {
  return name !== undefined && Array.isArray((query as Record<PropertyKey, unknown>)[name]);
}
