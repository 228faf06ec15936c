// Removes what deleted sessions have left, a slice to a call, until nothing is left of them.

export class PurgeDuty {
  readonly #purge: () => Promise<boolean>;
  readonly #failed: (error: unknown) => void;
  #working: Promise<void> | undefined;
  #stopped = false;

  constructor(purge: () => Promise<boolean>, failed: (error: unknown) => void) {
    this.#purge = purge;
    this.#failed = failed;
  }

  start(): void {
    this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    try {
      while (!this.#stopped && (await this.#purge()));
    } catch (error) {
      this.#failed(error); // the next deletion or start goes on with it
    }
  }
}
