// The agents that there are. They change only with the server's configuration, so they are asked for once, when something
// first wants to show them and the server has let us in.
import { createEffect, createMemo, createSignal, type Accessor } from "solid-js";
import type { Client, ProfileInfo } from "../../src/client/commands.ts";
import { failureWords } from "../failure-words.ts";

export type Profiles = {
  /** Undefined until they have come. */
  readonly list: readonly ProfileInfo[] | undefined;
  readonly failure: string | undefined;
  named(name: string): ProfileInfo | undefined;
  reload(): void;
};

export function createProfiles(client: Pick<Client, "profiles">, isConnected: Accessor<boolean>): Profiles {
  const [list, setList] = createSignal<readonly ProfileInfo[]>();
  const [failure, setFailure] = createSignal<string>();
  const [isWanted, setWanted] = createSignal(false);
  const isDue = createMemo(() => isWanted() && isConnected() && list() === undefined);
  createEffect(() => {
    if (isDue()) reload();
  });

  const profiles: Profiles = {
    get list() {
      if (list() === undefined) queueMicrotask(() => setWanted(true)); // not while something is being computed from it
      return list();
    },
    get failure() {
      return failure();
    },
    named: (name) => profiles.list?.find((profile) => profile.name === name),
    reload,
  };
  return profiles;

  function reload(): void {
    client.profiles().then(
      (items) => {
        setList(items);
        setFailure(undefined);
      },
      (error: unknown) => setFailure(failureWords(error)),
    );
  }
}
