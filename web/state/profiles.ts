// What the server says of its profiles, read when someone first wants to know.
import { createStore } from "solid-js/store";
import type { Client, ProfileInfo } from "../../src/client/commands.ts";
import { ProblemError, Unreachable } from "../../src/client/errors.ts";

/** Undefined while it is not known, and for a profile that is no longer there. */
export function createProfiles(client: Pick<Client, "profiles">): (name: string) => ProfileInfo | undefined {
  const [byName, setByName] = createStore<Record<string, ProfileInfo>>({});
  let reading: Promise<void> | undefined;
  return (name) => {
    const known = byName[name];
    if (!known) reading ??= read();
    return known;
  };

  async function read(): Promise<void> {
    try {
      const profiles = await client.profiles();
      setByName(Object.fromEntries(profiles.map((profile) => [profile.name, profile])));
    } catch (error) {
      if (!(error instanceof ProblemError || error instanceof Unreachable)) throw error;
      reading = undefined; // whoever wants to know next asks again
    }
  }
}
