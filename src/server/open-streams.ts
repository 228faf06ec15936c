// Every connection that stays open, and every answer that takes its time: what a revoked credential, the heartbeat and the
// end of the server have to reach.

export type StreamKind = "sse" | "long_poll" | "ws" | "plain";

export type CloseReason = "revoked" | "shutdown";

export type OpenStream = {
  readonly kind: StreamKind;
  /** The id of the token or login that it was opened with. */
  readonly credential: string;
  close(reason: CloseReason): void;
  heartbeat?(): void;
};

type Counts = Record<StreamKind, number>;
type OfCredential = { streams: Set<OpenStream>; counts: Counts };

export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #byCredential = new Map<string, OfCredential>();
  readonly #counts = noneYet();

  /** Returns what to call when it has ended, by whatever cause. */
  add(stream: OpenStream): () => void {
    const { kind, credential } = stream;
    const own = this.#byCredential.get(credential) ?? { streams: new Set(), counts: noneYet() };
    this.#byCredential.set(credential, own);
    own.streams.add(stream);
    own.counts[kind]++;
    this.#streams.add(stream);
    this.#counts[kind]++;
    return () => {
      if (!this.#streams.delete(stream)) return;
      this.#counts[kind]--;
      own.counts[kind]--;
      own.streams.delete(stream);
      if (own.streams.size === 0 && this.#byCredential.get(credential) === own)
        this.#byCredential.delete(credential);
    };
  }

  count(kind: StreamKind): number {
    return this.#counts[kind];
  }

  countOf(credential: string, kind: StreamKind): number {
    return this.#byCredential.get(credential)?.counts[kind] ?? 0;
  }

  credentials(): string[] {
    return [...this.#byCredential.keys()];
  }

  heartbeat(): void {
    for (const stream of this.#streams) stream.heartbeat?.();
  }

  closeOf(credential: string): void {
    for (const stream of this.#byCredential.get(credential)?.streams ?? []) stream.close("revoked");
  }

  closeAll(): void {
    for (const stream of this.#streams) stream.close("shutdown");
  }
}

function noneYet(): Counts {
  return { sse: 0, long_poll: 0, ws: 0, plain: 0 };
}
