// Which sessions can't go on for want of their host, and when that is told.
import { expect, it } from "vitest";
import { byOwner, closeNode, newSession, openNode } from "../../../test/open-postgres.ts";
import { useDatabase } from "../../../test/postgres.ts";
import type { NewEvent } from "../../session/event.ts";
import type { Store } from "../store.ts";
import { SILENT_MS } from "./liveness.ts";

const database = await useDatabase();

const input: NewEvent = { type: "input_admitted", data: { input: "inp_1", kind: "prompt", text: "go" } };
const begun: NewEvent[] = [
  input,
  { type: "turn_started", data: { turn: "t1", inputs: ["inp_1"] } },
  { type: "input_delivered", data: { input: "inp_1", turn: "t1", from: "" } },
];

it("a session whose host was stopped in order is stranded once it has had something to do for a while", async () => {
  let now = Date.now();
  const open = (host: string) => openNode(database, { host, decidingClock: () => now, returnMs: 0 });
  const [here, there] = [await open("host-a"), await open("host-b")];
  const [waits, idle] = [await newSession(here), await newSession(here)];
  await here.append(waits, begun, byOwner);
  await here.append(idle, [input], byOwner);
  await rest(here, 2);
  await here.append(idle, [{ type: "input_withdrawn", data: { input: "inp_1" } }], byOwner);
  const stranded = async () => (await there.strandedSessions(10)).map(({ session }) => session);
  now += 2 * SILENT_MS;
  expect(await stranded()).toEqual([]);

  await closeNode(here);
  expect(await stranded()).toEqual([]); // nothing is to be done
  await there.append(waits, [{ ...input, data: { ...input.data, input: "inp_2" } } as NewEvent], byOwner);
  now += SILENT_MS - 1;
  expect(await stranded()).toEqual([]); // its host may be back in a moment
  const back = await open("host-a");
  now += 1;
  expect(await stranded()).toEqual([]);
  await closeNode(back);

  const [found, ...more] = await there.strandedSessions(10);
  expect(more).toEqual([]);
  expect(found).toMatchObject({ session: waits, epoch: 1, seq: 5, host: "host-a", unsaid: true });
  const lost: NewEvent = { type: "executor_lost", data: { epoch: 1 } };
  await there.append(waits, [lost], { by: "keeper", keeper: "executor", key: found!.key });
  expect(await stranded()).toEqual([]); // it is told
});

/** Claims so many, and comes to rest over each. */
async function rest(store: Store, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const claim = await store.claimSession(60_000);
    await store.releaseLease(claim!.lease, (await store.head(claim!.lease.log))!.position);
  }
}
