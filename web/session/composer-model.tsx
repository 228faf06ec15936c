// Which model answers: those of the profiles, or one by its name.
import { createMemo, createSignal, createUniqueId, For, Show } from "solid-js";
import { createAttempt } from "../attempt.ts";
import { Icon } from "../icon.tsx";
import { placeBeside } from "../place-beside.ts";
import { useDashboard } from "../state/dashboard.ts";
import { isComposing } from "./keys.ts";

export function ModelChoice(props: {
  /** Null: the profile's own, if that is known. */
  model: string | null;
  /** The profile's own. */
  own: string | null;
  isDemo: boolean;
  choose: (model: string) => Promise<unknown>;
}) {
  const { profiles } = useDashboard();
  const id = createUniqueId();
  const [typed, setTyped] = createSignal("");
  const choosing = createAttempt();
  let button!: HTMLButtonElement;
  let popover!: HTMLDivElement;

  const offers = createMemo(() => {
    const found = new Map<string, string>();
    if (props.own !== null) found.set(props.own, "the profile's own");
    for (const { name, model, unusable, demo } of profiles.list ?? [])
      if (model !== null && unusable === null && !found.has(model))
        found.set(model, demo ? "demo: a script, no model" : `of the profile ${name}`);
    return [...found].map(([model, about]) => ({ model, about }));
  });

  async function choose(model: string): Promise<void> {
    if (model === "" || choosing.isBusy()) return;
    const isChosen = await choosing.run(() => props.choose(model));
    if (!isChosen) return placeBeside(popover, button); // with the reason it is larger
    setTyped("");
    popover.hidePopover();
  }

  return (
    <>
      <button
        ref={button}
        class="quiet model"
        type="button"
        title={`Model: ${props.model ?? "not known yet"}`}
        aria-label={`Model: ${props.model ?? "not known yet"}. Change it`}
        aria-haspopup="dialog"
        popovertarget={id}
      >
        <span>{shortName(props.model)}</span>
        <Show when={props.isDemo}>
          <span class="tag">demo</span>
        </Show>
        <Icon name="chevronDown" />
      </button>
      <div
        ref={popover}
        id={id}
        class="menu models"
        role="dialog"
        aria-label="Choose a model"
        popover
        onToggle={(event) => {
          if (event.newState !== "open") return;
          placeBeside(popover, button);
          popover.querySelector<HTMLElement>("button, input")?.focus();
        }}
      >
        <For each={offers()}>
          {({ model, about }) => (
            <button
              type="button"
              class="offer"
              aria-pressed={model === props.model}
              disabled={choosing.isBusy()}
              onClick={() => void choose(model)}
            >
              <span>
                {model}
                <small>{about}</small>
              </span>
              <Show when={model === props.model}>
                <Icon name="check" />
              </Show>
            </button>
          )}
        </For>
        <Show when={profiles.failure}>
          <p class="failure" role="alert">
            {profiles.failure}{" "}
            <button type="button" onClick={() => profiles.reload()}>
              Try again
            </button>
          </p>
        </Show>
        <div class="other">
          <input
            aria-label="Another model, as provider/model"
            placeholder="provider/model"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={typed()}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || isComposing(event)) return;
              event.preventDefault(); // it is in the composer's form, and not to be sent with it
              void choose(typed().trim());
            }}
          />
          <button
            type="button"
            disabled={typed().trim() === "" || choosing.isBusy()}
            onClick={() => void choose(typed().trim())}
          >
            Use
          </button>
        </div>
        <Show when={choosing.failure()}>
          <p class="failure" role="alert">
            {choosing.failure()}
          </p>
        </Show>
      </div>
    </>
  );
}

/** Without its provider: there is little room. */
function shortName(model: string | null): string {
  return model === null ? "model" : model.slice(model.indexOf("/") + 1);
}
