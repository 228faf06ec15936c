// What this server is: version, store, and the agents that it has.
import { For, Show } from "solid-js";
import type { Overview, ProfileInfo } from "../../src/client/commands.ts";
import { useDashboard } from "../state/dashboard.ts";
import { createLoaded } from "../loaded.ts";
import { Arrived, Section } from "../section.tsx";

const STORES = { sqlite: "SQLite, embedded", postgres: "PostgreSQL" };

export function About() {
  const { client } = useDashboard();
  const server = createLoaded(async (signal) => {
    const [overview, me] = await Promise.all([client.overview(signal), client.me(signal)]);
    return { overview, me };
  });
  const profiles = createLoaded((signal) => client.profiles(signal));
  return (
    <Section id="about" title="About">
      <Arrived loaded={server}>
        {(value) => (
          <dl class="facts">
            <dt>Version</dt>
            <dd>{value().overview.version}</dd>
            <dt>Store</dt>
            <dd>
              {STORES[value().overview.dialect]} · <code>{value().overview.store}</code>
            </dd>
            <dt>You are</dt>
            <dd>
              {value().me.person}, on {value().me.device}
            </dd>
            <Show when={alive(value().overview).length > 1}>
              <dt>Servers</dt>
              <dd>
                <For each={alive(value().overview)}>
                  {({ host, url }) => <div>{url === null ? host : `${host} · ${url}`}</div>}
                </For>
              </dd>
            </Show>
          </dl>
        )}
      </Arrived>
      <h3>Profiles</h3>
      <Arrived loaded={profiles}>
        {(all) => (
          <ul class="things profiles">
            <For each={all()} fallback={<li class="note">No agents work on this server.</li>}>
              {(profile) => <Profile profile={profile} />}
            </For>
          </ul>
        )}
      </Arrived>
    </Section>
  );
}

function alive({ nodes }: Overview): Overview["nodes"] {
  return nodes.filter((node) => node.alive);
}

const APPROVALS: Record<ProfileInfo["approvals"], string> = {
  ask: "asks before it acts",
  auto: "acts without asking",
  deny: "may not act",
};

function Profile(props: { profile: ProfileInfo }) {
  return (
    <li>
      <span class="name">
        {props.profile.name}
        <Show when={props.profile.demo}>
          {" "}
          <span class="tag">demo</span>
        </Show>
      </span>
      <span class="when">
        {props.profile.model ?? props.profile.driver} · {APPROVALS[props.profile.approvals]}
      </span>
      <span class="detail">
        <Show
          when={props.profile.unusable}
          fallback={
            props.profile.sandboxed
              ? `Its commands run in a sandbox: ${props.profile.sandbox}`
              : `Its commands are not sandboxed: ${props.profile.sandbox}`
          }
        >
          <span class="failure">Can't work: {props.profile.unusable}</span>
        </Show>
      </span>
    </li>
  );
}
