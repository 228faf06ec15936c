// What came back from a delegate that worked while its session went on. It reaches the agent as an input, but nobody said
// it: it looks like the result that it is, and leads to where it was made.
import { createMemo, Show } from "solid-js";
import type { Message } from "../../src/session/view.ts";
import { sessionPath } from "../address.ts";
import { Link } from "../link.tsx";
import { promptOf } from "../panel/delegates.tsx";
import { Prose } from "../prose/prose.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { InputActions } from "./input-actions.tsx";
import { InputText } from "./input-text.tsx";
import { useSession } from "./session-context.ts";

type Input = Extract<Message, { kind: "input" }>;

export function DelegateResult(props: { input: Input }) {
  const outcome = () => props.input.delegate?.outcome ?? "completed";
  return (
    <>
      <p class="from">
        Result of{" "}
        <Show when={props.input.delegate} fallback="a delegate">
          {(delegate) => <DelegateLink session={delegate().session} />}
        </Show>
        <Show when={outcome() !== "completed"}>
          <span class="failure">{outcome() === "failed" ? " failed" : " stopped"}</span>
        </Show>
      </p>
      <InputText
        input={props.input}
        shown={(text) => <Prose class="text" text={text()} isGrowing={false} />}
      />
      <InputActions input={props.input} />
    </>
  );
}

const NAME_CHARS = 80;

/** By its title, or by what it was asked to do, as far back as the page goes. */
function DelegateLink(props: { session: string }) {
  const { list } = useDashboard();
  const { session } = useSession();
  const prompt = createMemo(() => {
    for (const message of session.messages)
      for (const part of message.kind === "step" ? message.parts : [])
        if (part.kind === "tool" && part.delegate === props.session) return promptOf(part);
    return undefined;
  });
  const name = () => list.row(props.session)?.title ?? prompt() ?? "a delegate";
  return (
    <Link href={sessionPath(props.session)}>
      {name().length > NAME_CHARS ? `${name().slice(0, NAME_CHARS)}…` : name()}
    </Link>
  );
}
