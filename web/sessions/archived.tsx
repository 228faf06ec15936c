// What was put away: still whole, still to be opened, and back in the list at a press.
import { createSignal, For, onCleanup, onMount, Show } from "solid-js";
import { createStore, produce, reconcile } from "solid-js/store";
import type { SessionRow } from "../../src/protocol/http.ts";
import { nameSubject } from "../document-title.ts";
import { failureWords } from "../failure-words.ts";
import { Icon } from "../icon.tsx";
import { PageHead } from "../page-head.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { OlderRows } from "./older-rows.tsx";
import { Row, type RowPlace } from "./row.tsx";

const PAGE_ROWS = 100;

export function ArchivedSessions() {
  const { client, list, deletions } = useDashboard();
  nameSubject(() => "Archived sessions");
  const [byId, setById] = createStore<Record<string, SessionRow>>({});
  const [next, setNext] = createSignal<string | null>();
  const [failure, setFailure] = createSignal<string>();
  const rows = () =>
    Object.values(byId)
      .filter(({ id }) => !deletions.isDoomed(id))
      .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  const place: RowPlace = { isCurrent: () => false, isTabStop: () => true };

  onMount(() => {
    onCleanup(
      list.onRows(({ rows, gone = [] }) => {
        for (const row of rows) if (row.archived) setById(row.id, reconcile(row));
        const back = rows.filter(({ archived }) => !archived).map(({ id }) => id);
        setById(
          produce((all) => {
            for (const id of [...gone, ...back]) delete all[id];
          }),
        );
      }),
    );
    void read();
  });

  async function load(): Promise<void> {
    const after = next();
    const page = await client.sessions({ archived: true, limit: PAGE_ROWS, ...(after && { after }) });
    for (const row of page.items) setById(row.id, reconcile(row));
    setNext(page.next);
  }
  async function read(): Promise<void> {
    setFailure(undefined);
    try {
      await load();
    } catch (error) {
      setFailure(failureWords(error));
    }
  }

  return (
    <>
      <PageHead title="Archived sessions" />
      <div class="archived page">
        <Show when={failure()}>
          <p class="failure" role="alert">
            {failure()}{" "}
            <button type="button" onClick={() => void read()}>
              Try again
            </button>
          </p>
        </Show>
        <Show
          when={rows().length > 0}
          fallback={
            <Show when={next() !== undefined}>
              <div class="empty">
                <Icon name="archive" />
                <p>Nothing is archived.</p>
                <p class="note">A session that is archived leaves the list and keeps everything.</p>
              </div>
            </Show>
          }
        >
          <ul aria-label="Archived sessions">
            <For each={rows()}>{(row) => <Row row={row} place={place} />}</For>
          </ul>
        </Show>
        <Show when={next()}>
          <OlderRows load={load} />
        </Show>
      </div>
    </>
  );
}
