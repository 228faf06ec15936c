// Every connection that stays open: what a revoked credential, the heartbeat and the end of the server have to reach.

export type StreamKind = "sse" | "long_poll" | "ws";

export type CloseReason = "revoked" | "shutdown";

export type OpenStream = {
  readonly kind: StreamKind;
  /** The id of the token or login that it was opened with. */
  readonly credential: string;
  close(reason: CloseReason): void;
  heartbeat?(): void;
};

export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #byCredential = new Map<string, Set<OpenStream>>();
  readonly #counts: Record<StreamKind, number> = { sse: 0, long_poll: 0, ws: 0 };

  /** Returns what to call when it has ended, by whatever cause. */
  add(stream: OpenStream): () => void {
    const ofCredential = this.#byCredential.get(stream.credential) ?? new Set();
    this.#byCredential.set(stream.credential, ofCredential.add(stream));
    this.#streams.add(stream);
    this.#counts[stream.kind]++;
    return () => {
      if (!this.#streams.delete(stream)) return;
      this.#counts[stream.kind]--;
      ofCredential.delete(stream);
      if (ofCredential.size === 0 && this.#byCredential.get(stream.credential) === ofCredential)
        this.#byCredential.delete(stream.credential);
    };
  }

  count(kind: StreamKind): number {
    return this.#counts[kind];
  }

  countOf(credential: string, kind: StreamKind): number {
    let count = 0;
    for (const stream of this.#byCredential.get(credential) ?? []) if (stream.kind === kind) count++;
    return count;
  }

  credentials(): string[] {
    return [...this.#byCredential.keys()];
  }

  heartbeat(): void {
    for (const stream of this.#streams) stream.heartbeat?.();
  }

  closeOf(credential: string): void {
    for (const stream of this.#byCredential.get(credential) ?? []) stream.close("revoked");
  }

  closeAll(): void {
    for (const stream of this.#streams) stream.close("shutdown");
  }
}
