// Questions of one kind that come in a tick go to the database as one statement, and those that come while it is on its
// way go with the next. Two hundred sessions that are woken together would else be two hundred round trips, whose
// system calls cost both sides more than the answers.
import { StorageError } from "../store.ts";

const WAITING_MAX = 20_000;

export type GatheredOptions<Question, Answer> = {
  /** In their order, for each an answer or why there is none. */
  ask: (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>;
  /** Questions in a statement. */
  together: number;
  /** Statements on their way. */
  atOnce: number;
};

type Waiting<Question, Answer> = { question: Question; answer: PromiseWithResolvers<Answer> };

export class Gathered<Question, Answer> {
  readonly #options: GatheredOptions<Question, Answer>;
  #waiting: Waiting<Question, Answer>[] = [];
  #asking = 0;
  #scheduled = false;

  constructor(options: GatheredOptions<Question, Answer>) {
    this.#options = options;
  }

  ask(question: Question): Promise<Answer> {
    if (this.#waiting.length >= WAITING_MAX)
      return Promise.reject(
        new StorageError("busy", `${WAITING_MAX} questions wait for PostgreSQL already: try again later`),
      );
    const answer = Promise.withResolvers<Answer>();
    this.#waiting.push({ question, answer });
    this.#schedule();
    return answer.promise;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#asking < this.#options.atOnce && this.#waiting.length > 0)
        void this.#askAll(this.#waiting.splice(0, this.#options.together));
    });
  }

  /** Never rejects: those who wait are told. */
  async #askAll(waiting: readonly Waiting<Question, Answer>[]): Promise<void> {
    this.#asking += 1;
    try {
      const answers = await this.#options.ask(waiting.map(({ question }) => question));
      waiting.forEach(({ answer }, n) => {
        const given = answers[n] as Answer | Error; // one for each
        if (given instanceof Error) answer.reject(given);
        else answer.resolve(given);
      });
    } catch (error) {
      for (const { answer } of waiting) answer.reject(error);
    } finally {
      this.#asking -= 1;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }
}
