// A session that is there and can't be shown: why, what to do about it, and what was typed there meanwhile.
import { Show } from "solid-js";
import type { ProblemCode } from "../../src/protocol/problem.ts";
import { PageHead } from "../page-head.tsx";
import { CopyField } from "../settings/copy-field.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { unsentText } from "../state/unsent.ts";

export function RefusedSession(props: { id: string; code: ProblemCode; detail: string; again: () => void }) {
  const { list } = useDashboard();
  const unsent = unsentText(props.id);
  return (
    <>
      <PageHead title={list.row(props.id)?.title ?? "This session can't be shown"} />
      <div class="page refused">
        <Show when={props.code === "damaged"} fallback={<p role="alert">{props.detail}</p>}>
          <Damaged id={props.id} detail={props.detail} />
        </Show>
        <Show when={unsent !== ""}>
          <CopyField label="What you had typed there and not sent" text={unsent} />
        </Show>
        <button type="button" onClick={() => props.again()}>
          Try again
        </button>
      </div>
    </>
  );
}

/** Nothing in the page mends a disk: these are the ways out, in the order in which one would try them. */
function Damaged(props: { id: string; detail: string }) {
  return (
    <>
      <p role="alert">
        <b>The log of this session is damaged on the server's disk, so it can't be shown or go on.</b> Other
        sessions are not affected.
      </p>
      <p class="note">{props.detail}</p>
      <p>On the server's machine:</p>
      <ul class="to-do">
        <li>
          <code>holdfast doctor --export rescued</code> names all that is damaged, and saves what can still be
          read of this session.
        </li>
        <li>
          <code>holdfast restore &lt;file&gt;</code> brings back a backup, once the server is stopped.
        </li>
      </ul>
    </>
  );
}
