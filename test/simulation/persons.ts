// People, and the server between them and the store: they look, decide on what they saw, and write it if it is still
// so; what was not acknowledged they send again under the same key.
import { isAwaited } from "../../src/session/awaited.ts";
import type { Fact, NewFact } from "../../src/session/event.ts";
import { formatPosition, seqOf, START } from "../../src/session/position.ts";
import { failedTurn, retryFact } from "../../src/session/retry.ts";
import { admitAgain, queueAgain } from "../../src/session/succeed.ts";
import type { OpenAsk, View } from "../../src/session/view.ts";
import { StorageError, type Appended, type Succession } from "../../src/store/store.ts";
import type { MemoryStore } from "./memory-store.ts";
import type { Surroundings } from "./node.ts";
import { drawProgram, promptText } from "./program.ts";

export type Act =
  | "prompt"
  | "prompt now"
  | "steer"
  | "stop"
  | "answer"
  | "edit"
  | "move"
  | "withdraw"
  | "release"
  | "retry"
  | "delete"
  | "go back";

const TRIES_MAX = 100;

export class Person {
  readonly #name: string;
  readonly #around: Surroundings;
  #acts = 0;

  constructor(around: Surroundings, name: string) {
    this.#around = around;
    this.#name = name;
  }

  /** Resolves when it was written, or there was nothing to do any more. */
  async act(session: string, act: Act): Promise<void> {
    const { world, reached } = this.#around;
    const key = `${this.#name} ${++this.#acts}`;
    if (act === "delete" || act === "go back") return this.#change(session, act, key);
    const decide = this.#decision(act, key);
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      try {
        const view = await this.#call(`looks at ${session}`, () => this.#around.memory.view(session));
        const facts = view && decide(view);
        if (!view || !facts) {
          if (act === "answer" && tries > 0) reached.note("two persons answered one ask");
          return;
        }
        const bound = act !== "prompt" && act !== "steer"; // those two mean the same whatever happened meanwhile
        const appended = await this.#write(session, facts, key, bound ? seqOf(view.position) : undefined);
        if (appended.ok || appended.code === "ended" || appended.code === "not_found") return; // as they are told
        if (appended.code !== "moved") throw new Error(`${act} was refused: ${appended.code}`);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
      }
    }
    world.fail(new Error(`${this.#name} could not ${act} in ${TRIES_MAX} tries`));
  }

  /** Of the session as a whole. */
  async #change(session: string, act: "delete" | "go back", key: string): Promise<void> {
    const { world, memory } = this.#around;
    const force = world.chance.happens(0.7);
    const anew = world.chance.happens(0.5);
    const command = { scope: this.#name, key, digest: key };
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      try {
        if (act === "delete") {
          await this.#call(`deletes ${session}`, () => memory.deleteSession(session, force, command));
          return;
        }
        const succession = await this.#call(`looks back in ${session}`, () =>
          successionOf(memory, session, `ses_${key.replace(" ", "_")}`, anew),
        );
        if (!succession) return;
        const went = await this.#call(`goes back in ${session}`, () =>
          memory.succeedSession(succession, { person: this.#name }, command),
        );
        if (went.ok || went.code !== "moved") return;
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
      }
    }
    world.fail(new Error(`${this.#name} could not ${act} in ${TRIES_MAX} tries`));
  }

  #write(session: string, facts: NewFact[], key: string, expectSeq?: number): Promise<Appended> {
    const { memory } = this.#around;
    const command = { scope: this.#name, key, digest: key };
    return this.#call(`writes to ${session}: ${facts.map(({ type }) => type).join(", ")}`, () =>
      memory.append(
        session,
        facts,
        { by: "client", author: { person: this.#name }, command },
        expectSeq === undefined ? {} : { expectSeq },
      ),
    );
  }

  #call<T>(what: string, effect: () => T): Promise<T> {
    const { world, rates } = this.#around;
    return new Promise((resolve, reject) => {
      world.soon(undefined, `${this.#name} ${what}`, () => {
        if (world.chance.happens(rates().storageBusy)) return reject(new StorageError("busy", "not now"));
        const result = effect();
        if (world.chance.happens(rates().ackLost)) return reject(new StorageError("busy", "no answer"));
        world.soon(undefined, `${this.#name} hears of it`, () => resolve(result));
      });
    });
  }

  /** What to write, from what is seen; drawn once, so that another try means the same. */
  #decision(act: Exclude<Act, "delete" | "go back">, key: string): (view: View) => NewFact[] | undefined {
    const { chance } = this.#around.world;
    const input = `inp_${key.replace(" ", "_")}`;
    const luck = chance.next();
    const oneOf = <T>(all: readonly T[]): T | undefined => all[Math.floor(luck * all.length)];
    switch (act) {
      case "prompt": {
        const text = promptText(drawProgram(chance));
        return () => [{ type: "input_admitted", data: { input, kind: "prompt", text } }];
      }
      case "prompt now": {
        const text = promptText(drawProgram(chance));
        return ({ turn }) => [
          { type: "input_admitted", data: { input, kind: "prompt", text, delivery: "now" } },
          ...(turn && !turn.stopRequested ? [stopOf(turn.id)] : []),
        ];
      }
      case "steer":
        return () => [{ type: "input_admitted", data: { input, kind: "steer", text: `by the way, ${key}` } }];
      case "stop":
        return ({ turn }) => (turn && !turn.stopRequested ? [stopOf(turn.id)] : undefined);
      case "answer":
        return ({ asks }) => {
          const open = oneOf(asks);
          return open && [answerOf(open, luck)];
        };
      case "edit":
        return ({ queue }) => {
          const queued = oneOf(queue);
          if (!queued) return undefined;
          const { delivery } = queued;
          const kind = luck > 0.8 ? "steer" : queued.kind; // a queued prompt may still be sent into the turn that runs
          const text = kind === "steer" ? `better: ${key}` : promptText([]);
          return [{ type: "input_edited", data: { input: queued.input, kind, delivery, text } }];
        };
      case "move":
        return ({ queue }) => {
          const queued = oneOf(queue);
          return queued && [{ type: "input_moved", data: { input: queued.input } }];
        };
      case "withdraw":
        return (view) => {
          const queued = isAwaited(view) ? undefined : oneOf(view.queue);
          return queued && [{ type: "input_withdrawn", data: { input: queued.input } }];
        };
      case "release":
        return ({ held }) => (held ? [{ type: "queue_released", data: {} }] : undefined);
      case "retry":
        return (view) => {
          const failed = failedTurn(view);
          return failed === undefined ? undefined : [retryFact(view, failed)];
        };
    }
  }
}

function stopOf(turn: string): NewFact {
  return { type: "stop_requested", data: { turn } };
}

function answerOf({ ask, kind }: OpenAsk, luck: number): NewFact {
  const choices = ["once", "session", "session", "always", "deny"];
  const choice = choices[Math.floor((luck * 1000) % choices.length)] ?? "once";
  const answer = kind === "approval" ? { choice } : { values: ["2"], text: "the dark one" };
  return { type: "ask_answered", data: { ask, kind, answer } };
}

/**
 * To before the last turn without its input, or to before the last input that it had, with that again; undefined while it
 * works, or when there was none.
 */
function successionOf(memory: MemoryStore, from: string, id: string, anew: boolean): Succession | undefined {
  const view = memory.view(from);
  if (!view || view.ended || view.turn) return undefined;
  const facts = memory.events(from, START, Infinity, "facts") as Fact[];
  const turn = facts.findLast((fact) => fact.type === "turn_started" && fact.data.retries === undefined);
  if (turn?.type !== "turn_started") return undefined;
  const [began, ...more] = facts.filter(
    (fact) => fact.type === "input_delivered" && fact.data.turn === turn.data.turn,
  );
  const delivered = anew ? (more.at(-1) ?? began) : began;
  const sent = facts.find(
    ({ position }) => delivered?.type === "input_delivered" && position === delivered.data.from,
  );
  if (sent?.type !== "input_admitted" && sent?.type !== "input_edited") return undefined;
  const { text } = sent.data;
  let inputs = 0;
  const newInput = () => `inp_${id}_${++inputs}`;
  const again = admitAgain({ kind: "prompt", text, delivery: "queue", attachments: [] }, newInput());
  return {
    from,
    view,
    at: formatPosition(seqOf((delivered === began ? turn : (delivered ?? turn)).position) - 1, 0),
    id,
    reason: anew ? "regenerated" : "undone",
    first: [...(anew ? [again] : []), ...queueAgain(view, newInput)],
  };
}
