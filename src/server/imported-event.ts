// An event as it stands in an export: checked like what comes in anywhere, since it may come from anywhere.
import { z } from "zod";
import { PositionText } from "../protocol/http.ts";
import { TITLE_MAX_CHARS } from "../protocol/limits.ts";
import { By, draftData, factData, type AnyEvent, type FactType } from "../session/event.ts";
import { faultOf, refuseLine, type Line } from "./body-lines.ts";

/** As we write it, to the character: lists and searches are sorted by it. */
const Time = z.string().refine((text) => isTime(text), "must be a time like 2026-11-16T09:30:00.000Z");
/** What becomes a row's column can't hold a NUL there, nor half of a surrogate pair. */
const Column = z
  .string()
  .overwrite((text) => text.toWellFormed())
  .regex(/^[^\0]*$/, "must not have a NUL character");
const Short = Column.max(200);

const Stamped = z.object({
  position: PositionText,
  at: Time,
  by: By,
  type: z.string().regex(/^[a-z_]{1,64}$/),
  data: z.record(z.string(), z.unknown()),
});
const Author = z
  .union([
    z.object({ person: Short.min(1), device: Column.optional() }),
    z.object({ executor: Short, epoch: z.number().int().min(0).max(1e12) }),
    z.object({ keeper: Short }),
  ])
  .and(
    // A union is content with the first that fits, and leaves what else there is unchecked.
    z.record(z.string(), z.unknown()).refine((by) => KINDS.filter((kind) => kind in by).length === 1, {
      message: "must be of one kind",
    }),
  );
const KINDS = ["person", "executor", "keeper"];
/** Their sums become columns, those of tokens in whole numbers, however many there are. */
const Tokens = z.number().int().min(-1e9).max(1e9);
const Costs = z.object({
  usage: z
    .object({
      inputTokens: Tokens,
      outputTokens: Tokens,
      cost: z.number().min(-1e9).max(1e9).optional(),
    })
    .optional(),
});
/** What a row takes from facts, beyond what their own schemas say. */
const ROW: Partial<Record<string, z.ZodObject>> = {
  session_created: z.object({
    profile: Short.min(1),
    title: Column.max(TITLE_MAX_CHARS).optional(),
    workspace: Column.max(4096).optional(),
    model: Short.optional(),
  }),
  workspace_chosen: z.object({ workspace: Column.max(4096) }),
  session_titled: z.object({ title: Column.max(TITLE_MAX_CHARS) }),
  model_changed: z.object({ model: Short }),
  step_completed: Costs,
  turn_ended: Costs,
  context_compacted: Costs,
};
const DEPTH_MAX = 100;

/** Of a type that we do not know it is kept as it is: a newer version wrote it. */
export function importedEvent({ number, value }: Line): AnyEvent {
  const event = checked(Stamped, value, number, "");
  checked(Author, value["by"], number, "by."); // all that it says, which is what is kept
  const { type, data } = event;
  const schema = Object.hasOwn(factData, type) ? factData[type as FactType] : undefined;
  if (type === "draft") checked(draftData, data, number, "data.");
  if (schema) checked(schema, data, number, "data.");
  const row = Object.hasOwn(ROW, type) ? ROW[type] : undefined;
  const columns = row ? checked(row, data, number, "data.") : {};
  if (!isWithin(data, DEPTH_MAX)) refuseLine(number, `is nested more than ${DEPTH_MAX} deep`);
  // As it came, but for what columns can't hold: a newer version may say more in it than we know of.
  const texts = Object.entries(columns).filter(([, column]) => typeof column === "string");
  return {
    ...event,
    by: value["by"] as By,
    data: texts.length > 0 ? { ...data, ...Object.fromEntries(texts) } : value["data"],
  };
}

function checked<T extends z.ZodType>(schema: T, value: unknown, number: number, path: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  return refuseLine(number, `does not fit: ${path}${faultOf(result.error)}`);
}

/** Other years than those of four digits are longer, and sort elsewhere. */
const TIME_CHARS = 24;

function isTime(text: string): boolean {
  if (text.length !== TIME_CHARS) return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}

/** What is written again, and sent, is written by functions that call themselves. */
function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isWithin(inner, depth - 1));
}
