// How long it takes until what one client sends is durable and on another's screen. Both servers run as processes, the clients
// are in this one; each sends one input at a time and waits until the reader has it and the sender its answer.
import { compare, quantile, takeTurns, type Finding, type Row } from "./measure.ts";
import { startHost } from "./host/host.ts";
import { figure } from "./report.ts";
import { serve } from "./served.ts";
import { followSocket, followSse, send, type Address, type Follower } from "./wire.ts";

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

    const session = await createSession(ours);
    const events = `/api/sessions/${session}/events?offset=now&live=sse`;
    await send(theirs, "PUT", "/stream", { kind: "first" }); // a JSON body makes it a JSON stream
    const inputs = `/api/sessions/${session}/inputs`;

    const input = (text: string) => send(ours, "POST", inputs, { kind: "prompt", text });
    const message = (text: string) => send(theirs, "POST", "/stream", { kind: "prompt", text });
    const sse = makeTrips(await followSse(run.stack, ours, events), input);
    const socket = makeTrips(await followSocket(run.stack, ours, session), input);
    const baseline = makeTrips(await followSse(run.stack, theirs, "/stream?offset=now&live=sse"), message);

    const values = await takeTurns(ROUNDS, {
      sse: sse.round,
      socket: socket.round,
      baseline: baseline.round,
    });
    const finding = (what: string, median: number[], trips: number[][]): Finding =>
      compare({
        what,
        unit: "ms",
        target: { atMost: 0.5 },
        ours: median,
        baseline: values.baseline,
        baselineName: "@durable-streams/server in file mode, over SSE",
        details: [p99Text(trips, baseline.trips)],
      });
    return [
      finding("round trip over SSE", values.sse, sse.trips),
      finding("round trip over WebSocket", values.socket, socket.trips),
    ];
  },
};

function makeTrips(reader: Follower, post: (text: string) => Promise<{ status: number }>) {
  const rounds: number[][] = [];
  let sent = 0;
  const trip = async (): Promise<number> => {
    const mark = `mark-${sent++}-`;
    const arrival = reader.arrival(mark);
    const from = performance.now();
    const [at, { status }] = await Promise.all([arrival, post(mark + TEXT)]);
    if (status >= 300) throw new Error(`an input was answered with ${status}`);
    return at - from;
  };
  const round = async (): Promise<number> => {
    const trips: number[] = [];
    for (let n = 0; n < TRIPS; n++) trips.push(await trip());
    rounds.push(trips);
    return quantile(trips, 0.5);
  };
  return { round, trips: rounds };
}

async function createSession(address: Address): Promise<string> {
  const { status, body } = await send(address, "POST", "/api/sessions", {});
  if (status !== 201) throw new Error(`no session: ${status} ${body.toString()}`);
  return (JSON.parse(body.toString()) as { id: string }).id;
}

function p99Text(ours: number[][], theirs: number[][]): string {
  const p99 = (rounds: number[][]) => figure(quantile(rounds.slice(1).flat(), 0.99)); // the first round warmed up
  return `p99 ${p99(ours)} ms against ${p99(theirs)} ms`;
}
