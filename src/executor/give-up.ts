// A session that Holdfast itself fails over again and again is left alone, and its log says so. That is appended without a
// fold, which may be what fails; and it ends no turn, because only a fold knows which calls, asks and processes are open in
// it. So whoever tries again goes on where the turn stood.
import type { AnyEvent } from "../session/event.ts";
import { preview } from "../session/parts.ts";
import { formatPosition, seqOf, type Position } from "../session/position.ts";
import type { Lease, LogId, Store } from "../store/store.ts";

/** Of an error that may say anything. */
const REASON_CHARS = 1_000;
/** How far back it is looked for: in front of it can be that an executor was lost, once. */
const LAST_FACTS = 2;
const PAGE_FACTS = 50;

/** The position up to which all was tried; undefined when it is another's to go on, or there is nothing to go on with. */
export async function tellGivenUp(
  store: Pick<Store, "append" | "eventsBefore" | "head">,
  lease: Lease,
  error: unknown,
): Promise<Position | undefined> {
  const head = await store.head(lease.log);
  if (!head) return undefined;
  const end = formatPosition(seqOf(head.position) + 1, 0);
  const last = await store.eventsBefore(lease.log, end, LAST_FACTS);
  const told = last.find(({ type }) => type !== "executor_lost");
  if (told?.type === "executor_gave_up") return told.position; // by another node, or before a restart
  const reason = preview(error instanceof Error ? error.message : String(error), REASON_CHARS);
  const appended = await store.append(
    lease.log,
    [{ type: "executor_gave_up", data: { epoch: lease.epoch, reason } }],
    { by: "executor", lease },
  );
  return appended.ok ? appended.position : undefined;
}

/** Whether anything came since that no executor wrote. Else nodes that all gave up would wake each other for ever. */
export async function hasNews(store: Pick<Store, "events">, log: LogId, after: Position): Promise<boolean> {
  const facts = await store.events(log, after, PAGE_FACTS, "facts");
  return facts.length === PAGE_FACTS || facts.some((fact) => !isByExecutor(fact));
}

function isByExecutor({ by }: AnyEvent): boolean {
  return "executor" in by || ("keeper" in by && by.keeper === "executor"); // which tells of those that were lost
}
