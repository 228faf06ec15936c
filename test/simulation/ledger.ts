// What really happened, noted where it happened and seen by nobody but the checker: the logs are held against it.

export class Ledger {
  /** How often the effect of each plain call came about, by session and call. */
  readonly effects = new Map<string, number>();
  /** What executors found of commands that another had started, by `prc_<session>_<call>`. */
  readonly finds = new Map<string, string[]>();
  /** Processes that an executor could not stop, and knew it. */
  readonly unstopped = new Set<string>();
  /** What the model said, by session and step; more than once if it was asked more than once. */
  readonly answers = new Map<string, unknown[]>();
  /** When a node died without a word, by its id. */
  readonly deaths = new Map<string, string>();
  /** Nodes that stood still, or that the store failed: a takeover from one of these is no surprise. */
  readonly troubled = new Set<string>();
  /** Those that stood still, and when. */
  readonly pauses: { node: string; from: number; until: number }[] = [];
  clockJumped = false;
  /** From then on what came later may bear an earlier time. */
  clockWentBack = false;
  /** Processes that ended while no node was there to see it. */
  readonly unseenEnds = new Set<string>();
  /** Nodes that went in good order. */
  readonly shutdowns = new Set<string>();
  /** The last fact that each session had when a node died: it must be there ever after. */
  readonly kept: { session: string; position: string; text: string }[] = [];

  ran(session: string, call: string): void {
    const key = `${session} ${call}`;
    this.effects.set(key, (this.effects.get(key) ?? 0) + 1);
  }

  answered(session: string, step: string, message: unknown): void {
    this.answers.set(`${session} ${step}`, [...this.answersOf(session, step), message]);
  }

  answersOf(session: string, step: string): readonly unknown[] {
    return this.answers.get(`${session} ${step}`) ?? [];
  }

  effectsOf(session: string, call: string): number {
    return this.effects.get(`${session} ${call}`) ?? 0;
  }
}
