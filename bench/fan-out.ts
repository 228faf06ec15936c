// One agent, many who watch: bursts of events on their way to 1,000 readers in another process.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startHost, type Host } from "./host/host.ts";
import type { ReadersSaid } from "./host/sse-readers.ts";
import { compare, takeTurns, timeOf, type Row } from "./measure.ts";
import { open, type Address } from "./wire.ts";

const ROUNDS = 25;
const BURSTS = 8;
const EVENTS = 100;
const READERS = 1000;
const MARK = "end-of-burst";
const TOKEN = "a-token-for-the-bench-that-is-long-enough";
const SESSION = "ses_bench_fan_out";
const PATH = `/api/sessions/${SESSION}/events?offset=now&live=sse`;

export const fanOut: Row = {
  name: "fan-out",
  title: `bursts of ${EVENTS} events to ${READERS.toLocaleString("en-US")} readers over SSE`,
  reading:
    "Events delivered per second, over all readers. 1 × would mean that storing durably, waking and reading back cost nothing over only sending.",
  async measure(run) {
    const folder = await run.folder();
    const holdfast = await startHost<Address>(
      run.stack,
      "holdfast-fan-out",
      join(folder, "holdfast.db"),
      TOKEN,
      SESSION,
      String(EVENTS),
      MARK,
    );
    const burst = await captureBurst(holdfast);
    const burstFile = join(folder, "burst");
    await writeFile(burstFile, burst);
    const bare = await startHost<Address>(run.stack, "bare-sse", burstFile, String(EVENTS));

    const values = await takeTurns(ROUNDS, {
      ours: await makeBursts(run.stack, holdfast, burst.length),
      bare: await makeBursts(run.stack, bare, burst.length),
    });
    return [
      compare({
        what: `events delivered/s to ${READERS.toLocaleString("en-US")} readers`,
        unit: "/s",
        target: { atLeast: 0.6 },
        ours: values.ours,
        baseline: values.bare,
        baselineName: "bare node:http, the same bytes, joined per tick to one Buffer for all",
        details: [`a burst is ${burst.length.toLocaleString("en-US")} bytes to each reader`],
      }),
    ];
  },
};

/** The bytes that one reader gets for a burst, which the baseline then sends too. */
async function captureBurst(holdfast: Host<Address>): Promise<Buffer> {
  const response = await open({ ...holdfast.ready, token: TOKEN }, "GET", PATH);
  const seen: Buffer[] = [];
  let isAttached = false;
  for await (const chunk of response) {
    if (isAttached) seen.push(chunk as Buffer);
    else if ((chunk as Buffer).includes("upToDate")) {
      isAttached = true;
      holdfast.tell({ burst: true });
    }
    if (Buffer.concat(seen).includes(MARK)) break;
  }
  return Buffer.concat(seen);
}

async function makeBursts(
  stack: AsyncDisposableStack,
  server: Host<Address>,
  burstBytes: number,
): Promise<() => Promise<number>> {
  const { url } = server.ready;
  const readers = await startHost<ReadersSaid>(stack, "sse-readers", url, PATH, TOKEN, String(READERS), MARK);
  return async () => {
    const ms = await timeOf(async () => {
      for (let n = 0; n < BURSTS; n++) {
        server.tell({ burst: true });
        const said = await readers.next();
        // Fewer bytes than events of this size have would mean that something was left out; frames around them may differ.
        if (!("fewestBytes" in said) || said.fewestBytes < burstBytes * 0.95)
          throw new Error("a reader got less than a burst");
      }
    });
    return (BURSTS * EVENTS * READERS) / (ms / 1000);
  };
}
