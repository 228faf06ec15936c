// GET /openapi.json, made from the same schemas that check requests. OpenAPI 3.1 is JSON Schema 2020-12, which Zod writes.
// Loaded when it is asked for, and with it the schemas of what the server only sends.
import type { RouteOptions } from "fastify";
import { z } from "zod";
import { EventPage } from "../protocol/event-schema.ts";
import { ClientFrameSchema, ServerFrameSchema } from "../protocol/frame-schema.ts";
import { MessageSchema, ViewSchema } from "../protocol/view-schema.ts";
import { Problem } from "./problem-schema.ts";
import { published } from "./published.ts";

type Json = Record<string, unknown>;

export type Described = Pick<RouteOptions, "method" | "url" | "schema" | "config">;

const READS = new Set(["GET", "HEAD"]);
const KEY =
  "Same key, same answer, one effect, for at least 24 hours; another request under it is refused with 422.";

export function openapi(routes: readonly Described[], version: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const sent of [ViewSchema, MessageSchema, EventPage]) new Describer(schemas).json(sent, "output");
  new Describer(schemas).json(ServerFrameSchema, "output");
  new Describer(schemas).json(ClientFrameSchema, "input");
  for (const { method, url, schema, config } of routes) {
    if (config?.notAllowed) continue;
    const at = (paths[url.replaceAll(/:(\w+)/g, "{$1}")] ??= {});
    for (const each of [method].flat())
      at[each.toLowerCase()] = operation(each, schema ?? {}, config?.open === true, new Describer(schemas));
  }
  return {
    openapi: "3.1.0",
    info: { title: "Holdfast", version },
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: "holdfast_*",
          description:
            "For browsers: holdfast_ and the last 8 characters of the store's id. POST /api/login sets it, with the secret of a one-time link.",
        },
      },
    },
  };
}

function operation(
  method: string,
  schema: NonNullable<Described["schema"]>,
  isOpen: boolean,
  describe: Describer,
): Json {
  const responses: Json = {
    default: {
      description: "A problem document",
      content: { "application/problem+json": { schema: describe.json(Problem, "output") } },
    },
  };
  for (const [status, body] of Object.entries((schema.response ?? {}) as Record<string, z.ZodType>))
    responses[status] = {
      description: body.description ?? "",
      content: { "application/json": { schema: describe.json(body, "output") } },
    };
  for (const [status, types] of Object.entries(schema.answers ?? {}))
    responses[status] = {
      description: types.length === 0 ? "Done; there is nothing to say" : "",
      ...(types.length > 0 && { content: Object.fromEntries(types.map(contentOf)) }),
    };
  const headers = { ...schema.heeds, ...(!READS.has(method) && !isOpen && { "Idempotency-Key": KEY }) };
  return {
    ...(schema.summary !== undefined && { summary: schema.summary }),
    ...(isOpen && { security: [] }),
    parameters: [
      ...describe.parameters("path", schema.params as z.ZodType | undefined),
      ...describe.parameters("query", schema.querystring as z.ZodType | undefined),
      ...Object.entries(headers).map(([name, description]) => ({
        name,
        in: "header",
        description,
        schema: { type: "string" },
      })),
    ],
    ...(schema.body !== undefined && {
      requestBody: {
        content: { "application/json": { schema: describe.json(schema.body as z.ZodType, "input") } },
      },
    }),
    ...(schema.takes !== undefined && { requestBody: { content: { [schema.takes]: {} } } }),
    responses,
    // OpenAPI has no words for a socket.
    ...(schema.frames !== undefined && {
      "x-client-frames": published(schema.frames.client),
      "x-server-frames": published(schema.frames.server),
    }),
  };
}

function contentOf(type: string | readonly [string, string]): [string, Json] {
  return typeof type === "string" ? [type, {}] : [type[0], { schema: published(type[1]) }];
}

/** What is named with an id becomes a component, once, whichever routes use it. */
class Describer {
  readonly #schemas: Json;
  constructor(schemas: Json) {
    this.#schemas = schemas;
  }

  json(schema: z.ZodType, io: "input" | "output"): Json {
    const {
      $schema: _,
      $defs,
      ...rest
    } = z.toJSONSchema(schema, { io, unrepresentable: "any", override: openObject });
    for (const [id, definition] of Object.entries($defs ?? {})) this.#schemas[id] = moved(definition as Json);
    const id = rest["id"];
    if (typeof id !== "string") return moved(rest as Json);
    this.#schemas[id] = moved(rest as Json);
    return published(id);
  }

  parameters(place: "path" | "query", schema: z.ZodType | undefined): Json[] {
    if (schema === undefined) return [];
    const { properties = {}, required = [] } = this.json(schema, "input") as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: place,
      required: place === "path" || required.includes(name),
      schema: property,
    }));
  }
}

/** Zod closes plain objects on output only, and then one name would have two shapes. */
function openObject({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  const { def } = zodSchema._zod;
  if (def.type === "object" && !def.catchall) delete jsonSchema.additionalProperties;
}

function moved(definition: Json): Json {
  const { id: _, ...rest } = definition;
  return JSON.parse(JSON.stringify(rest).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}
