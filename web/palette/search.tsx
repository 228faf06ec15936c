// The palette's field and its list: a combobox whose options are grouped. The focus stays in the field.
import { createMemo, createSignal, createUniqueId, Index, onMount, Show, untrack } from "solid-js";
import { searchPath, sessionPath } from "../address.ts";
import { failureWords } from "../failure-words.ts";
import { Icon } from "../icon.tsx";
import { StatusMark } from "../mark.tsx";
import { navigate, route } from "../route.ts";
import { createFinder } from "../search/found.ts";
import { Marked } from "../search/marked.tsx";
import { useDashboard } from "../state/dashboard.ts";
import { fittingCommands } from "./commands.ts";
import { keyWords } from "./keys.ts";
import { askedPalette, closePalette } from "./open.ts";
import { optionsFor, type Option, type Target } from "./options.ts";

const HITS_MAX = 6;
const QUERY_MAX_CHARS = 500;

export function PaletteSearch(props: { query: string; failure?: string | undefined }) {
  const { client, list, now } = useDashboard();
  const [query, setQuery] = createSignal(props.query);
  const [failure, setFailure] = createSignal(props.failure);
  const [running, setRunning] = createSignal<string>();
  const [chosen, setChosen] = createSignal<string>();
  const finder = createFinder(client, query, HITS_MAX);
  const listId = createUniqueId();
  let field!: HTMLInputElement;
  let listbox!: HTMLDivElement;
  onMount(() => {
    field.focus();
    field.select();
  });

  const current = () => {
    const here = route();
    return here.page === "session" ? here.session : undefined;
  };
  const groups = createMemo(() =>
    optionsFor(query(), {
      rows: list.rows(),
      current: current(),
      commands: fittingCommands(),
      found: finder.found(),
      now: untrack(now),
    }),
  );
  const options = createMemo(() => groups().flatMap((group) => group.options));
  /** The one that Enter takes: the first, until another is chosen. */
  const active = createMemo(() => options().find(({ id }) => id === chosen()) ?? options()[0]);

  function move(by: number): void {
    const all = options();
    if (all.length === 0) return;
    const at = all.findIndex(({ id }) => id === active()?.id);
    setChosen(all[(at + by + all.length) % all.length]?.id);
    listbox.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  async function take(option: Option): Promise<void> {
    setFailure(undefined);
    const opened = askedPalette();
    try {
      const done = follow(option.target);
      if (done) {
        setRunning(option.title);
        await done;
      }
      // A command may have opened it for something else.
      if (askedPalette() === opened) closePalette();
    } catch (error) {
      setFailure(`${option.title}: ${failureWords(error)}`);
      field.focus();
    } finally {
      setRunning(undefined);
    }
  }

  function onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "PageDown") move(Math.min(5, options().length - 1));
    else if (event.key === "PageUp") move(-Math.min(5, options().length - 1));
    else if (event.key === "Enter") {
      const option = active();
      if (option && running() === undefined) void take(option);
    } else return;
    event.preventDefault();
  }

  return (
    <>
      <div class="field">
        <Icon name="search" />
        <input
          ref={field}
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={active()?.id}
          aria-autocomplete="list"
          placeholder="Sessions, commands, and what was said"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="go"
          maxlength={QUERY_MAX_CHARS}
          value={query()}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setChosen(undefined);
            listbox.scrollTop = 0;
          }}
          onKeyDown={onKey}
        />
        <button class="quiet close" type="button" onClick={() => closePalette()}>
          <kbd>Esc</kbd>
          <Icon name="close" />
          <span class="unseen">Close</span>
        </button>
      </div>
      <Show when={failure()}>
        <p class="failure" role="alert">
          {failure()}
        </p>
      </Show>
      <div
        ref={listbox}
        class="results"
        role="listbox"
        id={listId}
        aria-label="Results"
        aria-busy={running() !== undefined}
      >
        {/* By place, so that a list that is made anew leaves the rows and a finger on one of them alone. */}
        <Index each={groups()}>
          {(group) => (
            <div role="group" aria-label={group().name}>
              <div class="group-name" aria-hidden="true">
                {group().name}
              </div>
              <Index each={group().options}>
                {(option) => (
                  <OptionRow
                    option={option()}
                    isActive={active()?.id === option().id}
                    point={() => setChosen(option().id)}
                    take={() => {
                      if (running() === undefined) void take(option());
                    }}
                  />
                )}
              </Index>
            </div>
          )}
        </Index>
      </div>
      <p class="state note" role="status">
        {stateWords()}
      </p>
    </>
  );

  function stateWords(): string {
    if (running() !== undefined) return `${running()}…`;
    if (finder.isSearching()) return "Searching what was said…";
    const { failure: notFound, query: looked, hits } = finder.found();
    if (notFound !== null) return `What was said can't be searched: ${notFound}`;
    if (looked !== "" && hits.length === 0) return "Nothing that was said has these words.";
    return "";
  }
}

function follow(target: Target): void | Promise<void> {
  switch (target.to) {
    case "session":
      return navigate(sessionPath(target.session));
    case "place":
      return navigate(sessionPath(target.hit.session, target.hit.position));
    case "search":
      return navigate(searchPath(target.query));
    case "command":
      return target.command.run();
  }
}

function OptionRow(props: { option: Option; isActive: boolean; point: () => void; take: () => void }) {
  const { ageOf } = useDashboard();
  let pressed: string | undefined;
  return (
    <div
      id={props.option.id}
      class="option"
      classList={{ hit: props.option.snippet !== undefined }}
      role="option"
      aria-selected={props.isActive}
      onPointerMove={(event) => {
        if (event.pointerType === "mouse") props.point();
      }}
      onPointerDown={() => (pressed = props.option.id)}
      onMouseDown={(event) => event.preventDefault()} // the focus stays in the field
      onClick={() => {
        if (pressed === props.option.id) props.take(); // and not what has come in its place since
      }}
    >
      <Show when={props.option.mark}>{(mark) => <StatusMark mark={mark()} />}</Show>
      <span class="title">
        <Marked text={props.option.title} spans={props.option.spans} />
      </span>
      <Show when={props.option.words}>
        <span class="words">{props.option.words}</span>
      </Show>
      <Show when={props.option.at}>{(at) => <time datetime={at()}>{ageOf(at())}</time>}</Show>
      <Show when={props.option.keys}>{(keys) => <kbd>{keyWords(keys())}</kbd>}</Show>
      <Show when={props.option.snippet}>
        {(snippet) => (
          <span class="snippet">
            <Marked text={snippet().text} spans={snippet().spans} />
          </span>
        )}
      </Show>
    </div>
  );
}
