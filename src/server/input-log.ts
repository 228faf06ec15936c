// What became of an input, found by reading its session's log backwards: inputs have no row of their own.
import type { AnyEvent, Fact, FactData } from "../session/event.ts";
import { formatPosition, isPosition, seqOf, type Position } from "../session/position.ts";
import type { LogId, Store } from "../store/store.ts";

const PAGE_FACTS = 500;
/** A turn of 200 steps has some 2,000 facts; who asks for something older is told that it was not found. */
const FACTS_MAX = 20_000;
const END = formatPosition(Number.MAX_SAFE_INTEGER, 0);

export type Delivery = {
  input: string;
  turn: string;
  /** The last fact in front of its turn; in front of itself when it entered a turn that ran. */
  before: Position;
  data: FactData<"input_admitted">;
};

/** How this input was delivered, or, without one, the input that the last turn began with, or the one that it went on with. */
export async function findDelivery(
  store: Store,
  session: LogId,
  input?: string,
): Promise<Delivery | undefined> {
  let delivered: Delivered[] = [];
  for await (const fact of factsBack(store, session)) {
    if (fact.type === "input_delivered") delivered.push({ ...fact.data, position: fact.position });
    if (fact.type !== "turn_started") continue;
    const { turn, inputs } = fact.data;
    const wanted = input ?? inputs[0];
    const found = delivered.find((each) => each.input === wanted && each.turn === turn);
    if (found) {
      const begins = inputs.includes(found.input);
      return deliveryOf(store, session, found, justBefore(begins ? fact.position : found.position));
    }
    if (input === undefined && inputs.length > 0) return undefined; // one that went on with another has none
    delivered = [];
  }
  return undefined;
}

export type Fate = { state: "delivered" | "withdrawn"; at: string; position: Position; turn?: string };

/** Where an input went that is not queued; undefined when the log does not know it. */
export async function fateOf(store: Store, session: LogId, input: string): Promise<Fate | undefined> {
  for await (const { type, data, at, position } of factsBack(store, session)) {
    if (type === "input_delivered" && data.input === input)
      return { state: "delivered", at, position, turn: data.turn };
    if (type === "input_withdrawn" && data.input === input) return { state: "withdrawn", at, position };
  }
  return undefined;
}

type Delivered = FactData<"input_delivered"> & { position: Position };

async function deliveryOf(
  store: Store,
  session: LogId,
  { input, turn, from }: Delivered,
  before: Position,
): Promise<Delivery | undefined> {
  if (!isPosition(from)) return undefined;
  const [event] = await store.events(session, justBefore(from, Number.MAX_SAFE_INTEGER), 1);
  const fact = event as Fact | undefined;
  if (fact?.type !== "input_admitted" && fact?.type !== "input_edited") return undefined;
  return { input, turn, before, data: fact.data };
}

async function* factsBack(store: Store, log: LogId): AsyncGenerator<Fact> {
  let before = END;
  for (let read = 0; read < FACTS_MAX; read += PAGE_FACTS) {
    const page: AnyEvent[] = await store.eventsBefore(log, before, PAGE_FACTS);
    for (const event of page) {
      before = event.position;
      yield event as Fact; // a type that we do not know is passed over by whoever looks
    }
    if (page.length < PAGE_FACTS) return;
  }
}

function justBefore(position: Position, sub = 0): Position {
  return formatPosition(Math.max(0, seqOf(position) - 1), sub);
}
