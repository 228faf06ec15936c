// What a run came upon. A thousand seeds that never reached a fault have not shown that it does no harm.

export class Reached {
  readonly counts = new Map<string, number>();

  /** Gives back what it is given, so that it can stand where something is decided. */
  note<T = undefined>(what: Sight, value?: T): T {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
    return value as T;
  }

  add(other: Reached): void {
    for (const [what, count] of other.counts) this.counts.set(what, (this.counts.get(what) ?? 0) + count);
  }

  missing(): Sight[] {
    return SIGHTS.filter((what) => !this.counts.has(what));
  }
}

export const SIGHTS = [
  // The world's faults.
  "an executor died",
  "an executor was paused",
  "an executor was asked to stop",
  "the clock jumped a day",
  "the clock was set back",
  "the storage was busy",
  "an acknowledgement was lost",
  "a wake was lost",
  "a late holder's append was refused",
  "a provider hung",
  // The rows of "What a crash does".
  "a model was streaming when its executor died, and answered anew",
  "a provider failed for now, and was tried again in its time",
  "a provider failed for too long, and the turn said so",
  "a provider refused for good, and the turn said so",
  "a context was too long, was compacted, and the step went on",
  "a compaction outlived the executor that began it",
  "a context was too long a second time, and the turn said so",
  "a tool was only proposed when its executor died, and then ran",
  "a command still ran when another executor came, and was waited for",
  "a command had ended when another executor came, and its end was read",
  "a command was lost, and the model was told to verify",
  "a command had not begun when another executor came, and ran then",
  "a tool that only reads was run again",
  "an idempotent tool was run again",
  "an unsafe tool was not run again, and the model was told to verify",
  "an ask outlived the executor that opened it, was answered and went on",
  "a stop was honoured by another executor than the one at work",
  "a stop was honoured by another executor, which told the model what it had said",
  "a shutdown broke off a model, and another executor went on",
  "a shutdown left a command running, and another executor waited for it",
  "a step that killed every executor ended its turn",
  "a session whose executor was lost said so until another came",
  "a fault that nobody expected ended its turn",
  "a profile that was gone ended its turn",
  // What people do.
  "an approval was given for the session, and not asked for again",
  "a call was denied",
  "a question was answered",
  "two persons answered one ask",
  "a steer entered a running turn",
  "a prompt stopped what ran and came first",
  "a queue was held and released",
  "a turn that failed was tried again, and went on from what was done",
  "an input was withdrawn",
  "an input was edited before it was delivered",
  "a command took too long and was ended",
  "a command that would not end did not hold its turn",
  "a background command outlived its turn",
  // What ends.
  "a session was deleted while a turn ran",
  "a session was deleted while it rested",
  "what worked for a deleted session went with it",
  "a process of a deleted session was ended",
  "a delegate was deleted, and whoever waited for it was told",
  "a session went on in a successor",
  "a process went over to a successor, and its end was told there",
  "a delegate went over to a successor, and returned there",
  "what began a delegate was gone back over, and its result came to nobody",
  "a process ended while no server was there, and was told of",
  "a process ended while a server was there, and was told of",
  "a command that would not end was told of once it had",
  "an ask expired, and its call was denied",
  "an ask that could expire was answered in time",
] as const;

export type Sight = (typeof SIGHTS)[number];
