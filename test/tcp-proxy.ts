// A TCP proxy between a store and its database, or a page and its server, that fails on command, as networks do.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export type Proxy = {
  /** The target's URL, through the proxy. */
  url: string;
  /** Nothing passes in either direction, and nobody is told. */
  blackHole(): void;
  /** Nothing passes until `heal`, and then all of it does: as to a reader that does not read. */
  stall(): void;
  /** All open connections are reset, and new ones too until `heal`. */
  refuse(): void;
  /** All open connections are reset; new ones pass. */
  reset(): void;
  /** What comes back from the database comes later. */
  delayReplies(ms: number): void;
  /** The next answer to a request that has `marker` in it never arrives: its connection is reset instead. */
  cutReplyTo(marker: string): Promise<void>;
  /** The next request that has `marker` in it is held back and its client cut off; `release` lets it go on its way. */
  holdRequest(marker: string): Promise<{ release(): Promise<void> }>;
  /** Messages of the database that have `marker` in them are swallowed. */
  swallow(marker: string): void;
  heal(): void;
  close(): Promise<void>;
};

type Link = { client: Socket; database: Socket };

/** `port` is for whoever must know it before there is something to stand in front of. */
export async function startProxy(url: string, port = 0): Promise<Proxy> {
  const target = new URL(url);
  const links = new Set<Link>();
  let mode: "pass" | "black hole" | "refuse" | "stall" = "pass";
  let delayMs = 0;
  let swallowed: string | undefined;
  let cut: { marker: string; done: () => void } | undefined;
  let hold: { marker: string; done: (held: { release(): Promise<void> }) => void } | undefined;

  const server = createServer((client) => {
    if (mode === "refuse") {
      client.resetAndDestroy();
      return;
    }
    const database = connect(Number(target.port), target.hostname);
    const link = { client, database };
    links.add(link);
    if (mode === "stall") pause(link);
    let cutting: (() => void) | undefined;

    client.on("data", (bytes) => {
      if (mode === "black hole") return;
      if (hold && bytes.includes(hold.marker)) {
        const { done } = hold;
        hold = undefined;
        database.removeAllListeners("data").resume();
        client.removeAllListeners("close").destroy();
        done({
          release: async () => {
            database.end(bytes);
            await once(database, "close");
          },
        });
        return;
      }
      if (cut && bytes.includes(cut.marker)) {
        cutting = cut.done;
        cut = undefined;
      }
      database.write(bytes);
    });
    database.on("data", (bytes) => {
      if (mode === "black hole") return;
      if (swallowed !== undefined && bytes.includes(swallowed)) return;
      if (cutting) {
        client.resetAndDestroy();
        cutting();
        return;
      }
      if (delayMs > 0) setTimeout(() => client.write(bytes), delayMs);
      else client.write(bytes);
    });
    for (const socket of [client, database]) socket.on("error", () => {}); // closes
    client.on("close", () => {
      links.delete(link);
      database.destroy();
    });
    database.on("close", () => client.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port); // a TCP server that listens has one

  const reset = () => {
    for (const { client } of links) client.resetAndDestroy();
  };
  return {
    url: through.href,
    blackHole: () => void (mode = "black hole"),
    stall() {
      mode = "stall";
      links.forEach(pause);
    },
    refuse() {
      mode = "refuse";
      reset();
    },
    reset,
    delayReplies: (ms) => void (delayMs = ms),
    cutReplyTo: (marker) => new Promise((done) => (cut = { marker, done })),
    holdRequest: (marker) => new Promise((done) => (hold = { marker, done })),
    swallow: (marker) => void (swallowed = marker),
    heal() {
      mode = "pass";
      for (const { client, database } of links) [client, database].forEach((socket) => socket.resume());
      delayMs = 0;
      swallowed = undefined;
    },
    async close() {
      reset();
      server.close();
      await once(server, "close");
    },
  };
}

function pause({ client, database }: Link): void {
  client.pause();
  database.pause();
}
