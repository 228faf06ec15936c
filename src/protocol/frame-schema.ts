// What the server says on the socket. Only /openapi.json asks for it, so nothing else loads it.
import { z } from "zod";
import { EventSchema } from "./event-schema.ts";
import { Ask, PositionText, Process, SessionRow } from "./http.ts";
import { problems, type ProblemCode } from "./problem.ts";
import { ProcessFrame, SessionFrame, type ServerFrame } from "./socket.ts";
import { ViewSchema } from "./view-schema.ts";
import { describes } from "./same-shape.ts";

const rows = { op: z.literal("rows"), gone: z.array(z.string()).exactOptional(), whole: z.boolean() };

export const ServerFrameSchema = describes<ServerFrame>()(
  "ServerFrame",
  z.union([
    z.object({
      op: z.literal("hello"),
      store: z.string(),
      version: z.string(),
      person: z.string(),
      heartbeatMs: z.number(),
    }),
    z.object({ op: z.literal("events"), session: z.string(), events: z.array(EventSchema) }),
    z.object({
      op: z.literal("caught_up"),
      session: z.string(),
      position: PositionText,
      missed: z.object({ messages: z.number(), tools: z.number(), asks: z.number() }),
      since: PositionText.describe("What was missed came after this"),
    }),
    z.object({
      op: z.literal("resync"),
      session: z.string(),
      view: ViewSchema,
      reason: z.enum(["first", "overflow", "ahead", "other_store", "far_behind"]),
    }),
    z.object({ op: z.literal("closed"), session: z.string(), position: PositionText }),
    z.object({ ...rows, topic: z.literal("sessions"), rows: z.array(SessionRow) }),
    z.object({ ...rows, topic: z.literal("asks"), rows: z.array(Ask) }),
    z.object({ ...rows, topic: z.literal("processes"), rows: z.array(Process) }),
    z.object({
      op: z.literal("output"),
      process: z.string(),
      from: z.number(),
      next: z.number(),
      text: z.string(),
      over: z.boolean().describe("It has ended, and this was the last of it"),
    }),
    z.object({
      op: z.literal("error"),
      code: z.enum(Object.keys(problems) as ProblemCode[]),
      detail: z.string(),
      session: z.string().exactOptional(),
      process: z.string().exactOptional(),
    }),
    z.object({ op: z.literal("ping") }),
  ]),
);

export const ClientFrameSchema = z.union([SessionFrame, ProcessFrame]).meta({ id: "ClientFrame" });
