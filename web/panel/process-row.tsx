// One process: what it is and how it does, and when opened, what it says and how to reach it.
import { createMemo, createSignal, Show } from "solid-js";
import type { Process, StopProcess } from "../../src/client/commands.ts";
import { toolOf } from "../../src/session/parts.ts";
import type { View } from "../../src/session/view.ts";
import { sessionPath } from "../address.ts";
import { createAttempt } from "../attempt.ts";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import { Menu } from "../menu.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { wholeTime } from "../time-words.ts";
import { ProcessOutput } from "./output.tsx";
import { measures, standing } from "./process-words.ts";

const SIGNALS: readonly { signal: NonNullable<StopProcess["signal"]>; about: string }[] = [
  { signal: "SIGTERM", about: "The usual way: end, please" },
  { signal: "SIGINT", about: "As Ctrl+C does" },
  { signal: "SIGHUP", about: "As if its terminal were closed" },
  { signal: "SIGQUIT", about: "End, with a dump if it makes one" },
];

export function ProcessRow(props: { session: string; process: Process; view: View }) {
  const { client, heard } = useDashboard();
  const [isOpen, setOpen] = createSignal(false);
  const stopping = createAttempt();
  const isRunning = () => props.process.status === "running";
  const how = createMemo(() => standing(props.process));
  const stop = (signal?: NonNullable<StopProcess["signal"]>) =>
    void stopping.run(() => client.stopProcess(props.process.id, signal === undefined ? {} : { signal }));

  return (
    <li class="process" data-process={props.process.id}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <code>{props.process.command}</code>
          <span class="measures">
            <span class={`tag ${how().tone}`} title={props.process.why ?? ""}>
              {how().word}
            </span>
            {measures(props.process, heard()).join(" · ")}
          </span>
        </summary>
        <Show when={isOpen()}>
          <div class="opened">
            <Show when={props.process.why}>{(why) => <p class="note">{why()}</p>}</Show>
            <p class="note">
              in <code>{props.process.cwd}</code>
              <Show when={props.process.pid}>
                {" "}
                · pid <code>{props.process.pid}</code>
              </Show>
              {" · "}
              <time datetime={props.process.startedAt}>{wholeTime(props.process.startedAt)}</time>
              <Show when={props.process.host !== null && props.process.outputTail === null}>
                {" "}
                · on {props.process.host}
              </Show>
            </p>
            <Show when={props.process.session !== props.session}>
              <p class="note">
                Started in <Link href={sessionPath(props.process.session)}>another session</Link> that this
                one goes on from, or gave work to
              </p>
            </Show>
            <ProcessOutput process={props.process.id} />
            <Show when={isRunning() && mayRead(props.process, props.view)}>
              <WriteTo process={props.process.id} />
            </Show>
          </div>
        </Show>
      </details>
      <Show when={isRunning()}>
        <span class="reach">
          <button type="button" disabled={stopping.isBusy()} onClick={() => stop()}>
            {stopping.isBusy() ? "Stopping…" : "Stop"}
          </button>
          <Menu
            class="quiet sign"
            label="Stop with a signal"
            button={<Icon name="chevronDown" />}
            items={SIGNALS.map(({ signal, about }) => ({ label: signal, about, run: () => stop(signal) }))}
          />
        </span>
      </Show>
      <Show when={stopping.failure()}>
        <p class="failure" role="alert">
          {stopping.failure()}
        </p>
      </Show>
    </li>
  );
}

/** Its standard input, for one that was started with one. */
function WriteTo(props: { process: string }) {
  const { client } = useDashboard();
  const writing = createAttempt();
  const [text, setText] = createSignal("");
  async function write(): Promise<void> {
    const line = text();
    if (await writing.run(() => client.writeProcess(props.process, `${line}\n`))) setText("");
  }
  return (
    <form
      class="write"
      onSubmit={(event) => {
        event.preventDefault();
        void write();
      }}
    >
      <input
        aria-label="A line for its standard input"
        placeholder="A line for its standard input"
        autocomplete="off"
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={writing.isBusy()}>
        Write
      </button>
      <Show when={writing.failure()}>
        <p class="failure" role="alert">
          {writing.failure()}
        </p>
      </Show>
    </form>
  );
}

/** A command has a standard input only if its call asked for one; a call that is not in view may have. */
function mayRead({ background, call }: Process, view: View): boolean {
  if (!background) return false;
  const args = call === null ? undefined : toolOf(view, call)?.part.args;
  if (typeof args !== "object" || args === null) return true;
  return "stdin" in args && args.stdin === true;
}
