// How long it takes until what one client sends is durable and on another's screen. Both servers run as processes, the clients
// are in this one; each sends one input at a time and waits until the reader has it and the sender its answer.
import { alternate, compare, medians, quantile, type Finding, type Row } from "./measure.ts";
import { startHost } from "./host/host.ts";
import { figure } from "./report.ts";
import { serve } from "./served.ts";
import { followSocket, followSse, send, withdraw, type Address, type Follower } from "./wire.ts";

const ROUNDS = 9;
const TRIPS = 100;
const TEXT =
  "Please read the failing test, say why it fails and mend what it found; then run it once more. ".repeat(3);

export const roundTrip: Row = {
  name: "round-trip",
  title: "from sending an input until a reader has it, durably stored on the way",
  reading:
    "0.5 × means half the time of the other server. Median of a round's trips; p99 over all rounds below.",
  async measure(run) {
    const ours = await serve(run.stack, { home: await run.folder() });
    const { ready: theirs } = await startHost<{ url: string }>(
      run.stack,
      "durable-streams",
      await run.folder(),
    );

    await send(theirs, "PUT", "/stream", { kind: "first" }); // a JSON body makes it a JSON stream

    const bySse = await createSession(ours);
    const bySocket = await createSession(ours);
    const ourSse = await followSse(run.stack, ours, `/api/sessions/${bySse}/events?offset=now&live=sse`);
    const ourSocket = await followSocket(run.stack, ours, bySocket);
    const theirSse = await followSse(run.stack, theirs, "/stream?offset=now&live=sse");
    const times = await alternate(ROUNDS, TRIPS, {
      sse: makeTrip(ourSse, ours, `/api/sessions/${bySse}/inputs`),
      socket: makeTrip(ourSocket, ours, `/api/sessions/${bySocket}/inputs`),
      baseline: makeTrip(theirSse, theirs, "/stream"),
    });
    const finding = (what: string, trips: number[][]): Finding =>
      compare({
        what,
        unit: "ms",
        target: { atMost: 0.5 },
        ours: medians(trips),
        baseline: medians(times.baseline),
        baselineName: "@durable-streams/server in file mode, over SSE",
        details: [`p99 ${p99(trips)} ms against ${p99(times.baseline)} ms`],
      });
    return [finding("round trip over SSE", times.sse), finding("round trip over WebSocket", times.socket)];
  },
};

function makeTrip(reader: Follower, address: Address, path: string): () => Promise<number> {
  let sent = 0;
  return async () => {
    const mark = `mark-${sent++}-`;
    const arrival = reader.arrival(mark);
    const from = performance.now();
    const posted = send(address, "POST", path, { kind: "prompt", text: mark + TEXT });
    const [at, { status, body }] = await Promise.all([arrival, posted]);
    if (status >= 300) throw new Error(`an input was answered with ${status}`);
    if (status === 202) await withdraw(address, path, body);
    return at - from;
  };
}

async function createSession(address: Address): Promise<string> {
  const { status, body } = await send(address, "POST", "/api/sessions", {});
  if (status !== 201) throw new Error(`no session: ${status} ${body.toString()}`);
  return (JSON.parse(body.toString()) as { id: string }).id;
}

function p99(rounds: number[][]): string {
  return figure(quantile(rounds.flat(), 0.99));
}
