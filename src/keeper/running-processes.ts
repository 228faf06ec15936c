import type { ProcessRow, Store } from "../store/store.ts";

const PAGE = 200;

/** All that the store says to run on this host. */
export async function* runningProcesses(
  store: Pick<Store, "processes">,
  host: string,
): AsyncGenerator<ProcessRow> {
  for (let after: string | undefined; ;) {
    const filter = { running: true, host, limit: PAGE };
    const { items, next } = await store.processes({ ...filter, ...(after !== undefined && { after }) });
    yield* items;
    if (next === null) return;
    after = next;
  }
}
