// One session that a socket is attached to: what was missed is replayed, or, where that can't be or isn't worth it, the
// view is sent instead; from there on the feed's frames go out as they are.
import type { ProblemCode } from "../protocol/problem.ts";
import type { ResyncReason } from "../protocol/socket.ts";
import { seqOf, type Position } from "../session/position.ts";
import { DamagedEvent, type Page } from "../store/store.ts";
import type { Context } from "./context.ts";
import { problemOf } from "./errors.ts";
import type { LivePage, Reader } from "./feed.ts";
import type { Outbox } from "./outbox.ts";
import { eventsFrame, serverFrame } from "./socket-frame.ts";

/** Beyond these a view is less to send, and less to fold, than what leads to it. */
const REPLAY_MAX_FACTS = 2_000;
const REPLAY_MAX_BYTES = 2 << 20;

export type Start =
  | { after: Position; store: string | undefined }
  /** From the view, and why. */
  | { resync: ResyncReason };

export class Attachment implements Reader {
  readonly session: string;
  /** It failed, and its reader was told so: nothing more comes of it. */
  isOver = false;
  position = "" as Position; // until the start is chosen
  readonly #context: Context;
  readonly #outbox: Outbox;
  readonly #person: string;
  readonly #life = new AbortController();
  /** Of what was missed: since the position that the client gave, or since the person was here. */
  #since: Position | undefined;
  #caughtUp: Buffer | undefined;
  #replayedBytes = 0;
  #isFarBehind = false;

  constructor(context: Context, outbox: Outbox, person: string, session: string) {
    this.#context = context;
    this.#outbox = outbox;
    this.#person = person;
    this.session = session;
  }

  leave(): void {
    this.#life.abort();
  }

  /** For as long as it is attached. */
  async run(start: Start): Promise<void> {
    const { store } = this.#context;
    const head = await store.head(this.session);
    if (head === undefined || head.kind !== "session") return this.gone("deleted");
    const resync = resyncOf(start, head.position, store.id);
    // A position of another store's log means nothing in this one: there it counts what the person has seen.
    if ("after" in start && resync !== "ahead" && resync !== "other_store") this.#since = start.after;
    if (resync === undefined && "after" in start) this.position = start.after;
    else if (!(await this.#resync(resync ?? "first"))) return;
    await this.#follow();
  }

  async replay(page: Page): Promise<boolean> {
    this.#replayedBytes += page.bytes.length;
    if (this.#replayedBytes > REPLAY_MAX_BYTES) {
      this.#isFarBehind = true;
      return false;
    }
    return this.#paced(() => Promise.resolve(eventsFrame(this.session, page.bytes)));
  }

  async arrived(): Promise<void> {
    const { store } = this.#context;
    const since = this.#since ?? (await store.seen(this.#person, this.session));
    const missed = await store.missed(this.session, since, this.#person);
    const { session, position } = this;
    this.#caughtUp = serverFrame({ op: "caught_up", session, position, missed, since });
  }

  joined(): void {
    if (this.#caughtUp !== undefined) this.#outbox.send(this.#caughtUp);
    this.#caughtUp = undefined;
  }

  live(page: LivePage): void {
    if (!this.#life.signal.aborted) this.#outbox.send(page.ws);
  }

  closed(): void {
    if (this.#life.signal.aborted) return;
    this.joined();
    this.#outbox.send(serverFrame({ op: "closed", session: this.session, position: this.position }));
  }

  gone(reason: "deleted" | "failed"): void {
    if (reason === "deleted") this.#refuse("not_found", `There is no session ${this.session}.`);
    else this.#refuse("not_ready", "The log can't be read now; attach again.");
  }

  /** A damaged log does not mend itself: whoever is told so does not try again and again. */
  failed(error: unknown): void {
    if (!(error instanceof DamagedEvent)) return this.gone("failed");
    this.#context.damage.note(error);
    const { code, detail } = problemOf(error);
    this.#refuse(code, detail);
  }

  /** Whoever is not told, because it has left or too much waits for it, is told when it starts over. */
  #refuse(code: ProblemCode, detail: string): void {
    if (this.#life.signal.aborted) return;
    this.isOver = this.#outbox.send(serverFrame({ op: "error", code, detail, session: this.session }));
  }

  async #follow(): Promise<void> {
    await this.#context.feeds.follow(this.session, this, this.#life.signal);
    if (!this.#isFarBehind || this.#life.signal.aborted) return;
    this.#isFarBehind = false;
    this.#replayedBytes = 0;
    if (await this.#resync("far_behind")) await this.#follow();
  }

  async #resync(reason: ResyncReason): Promise<boolean> {
    return this.#paced(async () => {
      const view = await this.#context.store.view(this.session);
      if (view === undefined) {
        this.gone("deleted");
        return undefined;
      }
      this.position = view.position;
      return serverFrame({ op: "resync", session: this.session, view, reason });
    });
  }

  async #paced(make: () => Promise<Buffer | undefined>): Promise<boolean> {
    return this.#outbox.paced(async () => (this.#life.signal.aborted ? undefined : make()));
  }
}

function resyncOf(start: Start, end: Position, store: string): ResyncReason | undefined {
  if ("resync" in start) return start.resync;
  if (start.store !== undefined && start.store !== store) return "other_store";
  if (start.after > end) return "ahead";
  return seqOf(end) - seqOf(start.after) > REPLAY_MAX_FACTS ? "far_behind" : undefined;
}
