// The model of all rows about turns: the tests' stub in a process of its own, which remembers for each prompt when it was
// asked and when it had said all.
import { byModelName, startStubModel, type StubRequest } from "../../test/stub-model.ts";
import { say, whenTold } from "./host.ts";

/** Times are milliseconds of the day's clock, as in the stamps. */
export type ModelCall = { prompt: string; askedAt: number; endedAt: number | null };
export type ModelSaid = { baseUrl: string } | { calls: ModelCall[] };

let calls: ModelCall[] = [];
const stub = await startStubModel((request) => {
  const call: ModelCall = { prompt: promptOf(request), askedAt: clock(), endedAt: null };
  calls.push(call);
  void request.closed.then(() => (call.endedAt = clock()));
  return byModelName(request);
});
whenTold(() => {
  say({ calls } satisfies ModelSaid);
  calls = [];
});
say({ baseUrl: stub.baseUrls["openai-compatible"] } satisfies ModelSaid);

type Content = string | { text?: string }[];

function promptOf({ body }: StubRequest): string {
  const { messages } = body as { messages: { role: string; content: Content }[] };
  const content = messages.findLast(({ role }) => role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
}

function clock(): number {
  return performance.timeOrigin + performance.now();
}
