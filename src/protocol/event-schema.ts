// An event as it is sent. Only /openapi.json asks for it, so nothing else loads it.
import { z } from "zod";
import { By, draftData, factData } from "../session/event.ts";
import { PositionText } from "./http.ts";

const stamp = { position: PositionText, at: z.iso.datetime(), by: By.meta({ id: "By" }) };
const known = Object.entries({ ...factData, draft: draftData }).map(([type, data]) =>
  z.object({ ...stamp, type: z.literal(type), data }),
);
const names = known.map(({ shape }) => shape.type.value);

export const EventSchema = z
  .union([
    ...known,
    z
      .object({
        ...stamp,
        type: z
          .string()
          .refine((type) => !names.includes(type))
          .meta({ not: { enum: names } }),
        data: z.unknown(),
      })
      .meta({ description: "Of a type that another version wrote: kept, and to be skipped" }),
  ])
  .meta({
    id: "Event",
    description:
      "A fact has a position that ends in zeros; a draft is text on its way, which the fact that ends its part has whole",
  });

export const EventPage = z.array(EventSchema).meta({
  id: "EventPage",
  description:
    "What follows the offset, in the order of the log; with live=sse, the data of each `data` event",
});
