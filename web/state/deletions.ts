// Deleting with a while to take it back. Until it is sent nothing has happened: a tab that dies before has deleted nothing.
import { createMemo, createSignal, onCleanup, type Accessor } from "solid-js";
import type { Client } from "../../src/client/commands.ts";
import { ProblemError } from "../../src/client/errors.ts";
import { failureWords } from "../failure-words.ts";
import { shownTitle } from "../title.ts";
import { showToast } from "../toasts/show.ts";

export type Named = { id: string; title: string | null };

export type Deletions = {
  /** Gone from sight: deleted, or about to be. */
  isDoomed: (session: string) => boolean;
  readonly doomed: Accessor<ReadonlySet<string>>;
  /** `force`: also while it works. `onUndone`: a person took it back. */
  begin: (session: Named, how: { force: boolean; onUndone?: () => void }) => void;
};

type Doomed = Named & { force: boolean; isSent: boolean };

const UNDO_MS = 8_000;

export function createDeletions(client: Pick<Client, "deleteSession">): Deletions {
  const [doomed, setDoomed] = createSignal<readonly Doomed[]>([]);
  // With the page goes the way to take it back, so it is sent now.
  const sendAll = () => doomed().forEach((each) => void send(each));
  window.addEventListener("pagehide", sendAll);
  onCleanup(() => window.removeEventListener("pagehide", sendAll));
  const ids = createMemo(() => new Set(doomed().map(({ id }) => id)));
  const isDoomed = (session: string) => ids().has(session);

  return {
    isDoomed,
    doomed: ids,
    begin({ id, title }, { force, onUndone }) {
      if (isDoomed(id)) return;
      const session: Doomed = { id, title, force, isSent: false };
      setDoomed([...doomed(), session]);
      showToast({
        text: `Deleted ${shownTitle(title)}`,
        key: `delete:${id}`,
        lastsMs: UNDO_MS,
        action: {
          label: "Undo",
          run: () => {
            forget(session);
            onUndone?.();
          },
        },
        onGone: () => void send(session),
      });
    },
  };

  async function send(session: Doomed): Promise<void> {
    if (session.isSent) return;
    session.isSent = true;
    try {
      // It stays out of sight for good: the news that it is gone from the list comes later than this answer.
      await client.deleteSession(session.id, { force: session.force, keepalive: true });
    } catch (error) {
      const code = error instanceof ProblemError ? error.code : undefined;
      if (code === "not_found") return; // somebody else was first
      forget(session);
      tellFailure(session, failureWords(error), code === "live");
    }
  }

  function tellFailure(session: Doomed, detail: string, isLive: boolean): void {
    const again = { ...session, force: true, isSent: false };
    showToast({
      text: `${shownTitle(session.title)} was not deleted`,
      detail,
      tone: "failed",
      ...(isLive && { action: { label: "Delete anyway", run: () => void send(again) } }),
    });
  }

  function forget(session: Doomed): void {
    setDoomed(doomed().filter((each) => each !== session));
  }
}
