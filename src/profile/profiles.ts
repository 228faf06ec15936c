// The agents that there are: those of the configuration, `default`, and one for each model that was found by itself.
import { usualProfile, type Config, type ProfileConfig } from "../config/schema.ts";
import { DEMO_MODEL, type Offer } from "./providers.ts";

export type NamedProfile = {
  name: string;
  /** `<provider>/<model>`; an external agent has its own. */
  model: string | null;
  /** Why it is there, for people. */
  origin: string;
  config: ProfileConfig;
};

export const DEFAULT_PROFILE = "default";

export function profilesOf({ profiles }: Pick<Config, "profiles">, offers: readonly Offer[]): NamedProfile[] {
  const [best] = offers;
  const usualModel = profiles[DEFAULT_PROFILE]?.model ?? best?.model ?? DEMO_MODEL;
  const configured = Object.entries(profiles).map(([name, config]): NamedProfile => ({
    name,
    model: config.driver === "acp" ? null : (config.model ?? usualModel),
    origin: "config.toml",
    config,
  }));
  const usual = {
    name: DEFAULT_PROFILE,
    model: usualModel,
    origin: best?.because ?? "",
    config: usualProfile(),
  };
  const offered = offers.map(({ name, model, because }) => ({
    name,
    model,
    origin: because,
    config: usualProfile(),
  }));
  const all = new Map<string, NamedProfile>([usual, ...offered].map((profile) => [profile.name, profile]));
  for (const profile of configured) all.set(profile.name, profile);
  return [...all.values()];
}
