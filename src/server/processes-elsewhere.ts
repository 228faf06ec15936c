// How processes on other hosts are doing, for a list that is looked at all the time: their hosts are asked now and then, and
// never waited for.
import type { IncomingHttpHeaders } from "node:http";
import type { Process } from "../protocol/http.ts";
import type { ProcessRow } from "../store/store.ts";
import type { Context } from "./context.ts";
import { rowsElsewhere } from "./other-host.ts";

const NOTHING: ReadonlyMap<string, Process> = new Map();

export class ProcessesElsewhere {
  readonly #context: Context;
  readonly #everyMs: number;
  readonly #heard: () => void;
  readonly #failed: (error: unknown) => void;
  #known = NOTHING;
  #askedAt = -Infinity;
  #isAsking = false;

  /** `heard` when there is something new to look at. */
  constructor(context: Context, everyMs: number, heard: () => void, failed: (error: unknown) => void) {
    this.#context = context;
    this.#everyMs = everyMs;
    this.#heard = heard;
    this.#failed = failed;
  }

  /** What is known of them by now. They are asked as the one whose credential this is. */
  of(rows: readonly ProcessRow[], limit: number, headers: IncomingHttpHeaders): ReadonlyMap<string, Process> {
    const here = this.#context.agents?.()?.processes?.host;
    const hosts = new Set(rows.map(({ host }) => host).filter((host) => host !== null && host !== here));
    if (here === undefined || hosts.size === 0) {
      this.#known = NOTHING;
      return NOTHING;
    }
    if (!this.#isAsking && performance.now() - this.#askedAt >= this.#everyMs)
      void this.#ask(hosts, limit, headers);
    return this.#known;
  }

  async #ask(hosts: ReadonlySet<string | null>, limit: number, headers: IncomingHttpHeaders): Promise<void> {
    this.#isAsking = true;
    try {
      this.#known = await rowsElsewhere(this.#context, headers, `/api/processes?limit=${limit}`, hosts);
    } catch (error) {
      this.#failed(error);
    }
    this.#isAsking = false;
    this.#askedAt = performance.now();
    this.#heard();
  }
}
