// One socket, as a whole tab uses it: it attaches to sessions and to what processes say, leaves them, watches lists.
import type { IncomingHttpHeaders } from "node:http";
import { ProcessFrame, SessionFrame, type ServerFrame, type TopicName } from "../protocol/socket.ts";
import type { Credential } from "../store/store.ts";
import { Attachment, type Start } from "./attachment.ts";
import type { Context } from "./context.ts";
import type { Outbox } from "./outbox.ts";
import { OutputAttachment } from "./output-attachment.ts";
import { serverFrame } from "./socket-frame.ts";
import type { Topic, Watcher } from "./topic.ts";

export type Topics = Readonly<Record<TopicName, Topic>>;

export class Tab {
  readonly #context: Context;
  readonly #topics: Topics;
  readonly #outbox: Outbox;
  readonly #person: string;
  readonly #headers: IncomingHttpHeaders;
  readonly #attached = new Map<string, Attachment>();
  readonly #outputs = new Map<string, OutputAttachment>();
  readonly #watcher: Watcher;
  readonly #watched = new Set<TopicName>();
  #isOver = false;

  constructor(
    context: Context,
    topics: Topics,
    outbox: Outbox,
    { person }: Credential,
    headers: IncomingHttpHeaders,
  ) {
    this.#context = context;
    this.#topics = topics;
    this.#outbox = outbox;
    this.#person = person;
    this.#headers = headers;
    this.#watcher = { person, headers, send: (frame) => void outbox.send(frame) };
    const { store, version, limits } = context;
    this.send({ op: "hello", store: store.id, version, person, heartbeatMs: limits.heartbeatMs });
  }

  send(frame: ServerFrame): void {
    this.#outbox.send(serverFrame(frame));
  }

  /** False when it can't even be read as a frame: whoever speaks so is no client of ours. */
  take(text: string): boolean {
    let said: unknown;
    try {
      said = JSON.parse(text);
    } catch {
      return false;
    }
    const parsed = (isOfProcess(said) ? ProcessFrame : SessionFrame).safeParse(said);
    if (!parsed.success) {
      const faults = parsed.error.issues
        .map(({ path, message }) => `${path.join(".")}: ${message}`)
        .join("; ");
      this.send({ op: "error", code: "schema", detail: `The frame does not fit: ${faults}` });
      return true;
    }
    this.#carryOut(parsed.data);
    return true;
  }

  #carryOut(frame: SessionFrame | ProcessFrame): void {
    if ("process" in frame) {
      this.#outputs.get(frame.process)?.leave();
      this.#outputs.delete(frame.process);
      if (frame.op === "attach") this.#follow(frame.process, frame.after ?? 0);
      return;
    }
    switch (frame.op) {
      case "attach":
        this.#attach(
          frame.session,
          frame.after === undefined ? { resync: "first" } : { after: frame.after, store: frame.store },
        );
        return;
      case "leave":
        return this.#leave(frame.session);
      case "watch":
        return this.#watch(frame.topic);
    }
    frame satisfies never;
  }

  /** What it was sent is lost to it, so it follows nothing until it can start over. */
  overflowed(): void {
    this.#context.metrics.slowReaders.add(1, { kind: "ws" });
    for (const attachment of this.#everything()) attachment.leave();
    this.#leaveTopics();
  }

  drained(): void {
    if (this.#isOver) return;
    for (const session of this.#attached.keys()) this.#start(session, { resync: "overflow" });
    for (const [process, output] of this.#outputs) this.#run(process, output);
    for (const topic of this.#watched) this.#watch(topic);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const attachment of this.#everything()) attachment.leave();
    this.#attached.clear();
    this.#outputs.clear();
    this.#leaveTopics();
  }

  #attach(session: string, start: Start): void {
    const { attachmentsPerSocket } = this.#context.limits;
    if (!this.#attached.has(session) && this.#isFull())
      return this.send({
        op: "error",
        code: "too_many",
        detail: `One socket attaches to at most ${attachmentsPerSocket} sessions. Leave one first.`,
        session,
      });
    this.#attached.get(session)?.leave();
    this.#start(session, start);
  }

  #start(session: string, start: Start): void {
    const attachment = new Attachment(this.#context, this.#outbox, this.#person, session);
    this.#attached.set(session, attachment);
    if (this.#outbox.isOverflowed) return; // it starts from the view once there is room
    attachment
      .run(start)
      .catch((error: unknown) => {
        this.#context.log.error({ err: error, log: session }, "a socket could not be served");
        attachment.failed(error);
      })
      .finally(() => freePlace(this.#attached, session, attachment));
  }

  #follow(process: string, after: number): void {
    if (this.#isFull())
      return this.send({
        op: "error",
        code: "too_many",
        detail: "One socket can't follow more. Leave something first.",
        process,
      });
    const output = new OutputAttachment(this.#context, this.#outbox, this.#headers, process, after);
    this.#outputs.set(process, output);
    if (!this.#outbox.isOverflowed) this.#run(process, output);
  }

  #run(process: string, output: OutputAttachment): void {
    output
      .run()
      .catch((error: unknown) => {
        this.#context.log.error({ err: error, process }, "what a process says could not be served");
        output.failed();
      })
      .finally(() => freePlace(this.#outputs, process, output));
  }

  #isFull(): boolean {
    return this.#attached.size + this.#outputs.size >= this.#context.limits.attachmentsPerSocket;
  }

  #everything(): Iterable<Attachment | OutputAttachment> {
    return [...this.#attached.values(), ...this.#outputs.values()];
  }

  #leave(session: string): void {
    this.#attached.get(session)?.leave();
    this.#attached.delete(session);
  }

  #leaveTopics(): void {
    for (const topic of this.#watched) this.#topics[topic].leave(this.#watcher);
  }

  #watch(topic: TopicName): void {
    this.#watched.add(topic);
    if (this.#outbox.isOverflowed) return;
    this.#topics[topic].watch(this.#watcher).catch((error: unknown) => {
      this.#context.log.error({ err: error, topic }, "a list could not be served");
      this.send({ op: "error", code: "not_ready", detail: "The list can't be read now; watch again." });
    });
  }
}

/** Of what is over; what came under its name meanwhile keeps it. */
function freePlace<Held extends { readonly isOver: boolean }>(
  places: Map<string, Held>,
  id: string,
  held: Held,
): void {
  if (held.isOver && places.get(id) === held) places.delete(id);
}

function isOfProcess(said: unknown): boolean {
  return typeof said === "object" && said !== null && "process" in said;
}
