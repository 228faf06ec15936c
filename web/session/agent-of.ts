import type { ProfileInfo } from "../../src/client/commands.ts";
import type { Meta } from "../../src/session/view.ts";
import type { Profiles } from "../state/profiles.ts";

export type Agent = {
  profile: ProfileInfo | undefined;
  /** Null until it is known. */
  model: string | null;
  /** Nobody should take a script for a model. */
  isDemo: boolean;
};

/** Who works in a session: its profile, with the model that was chosen for it instead, if one was. */
export function agentOf({ profile: name, model: chosen }: Meta, profiles: Profiles): Agent {
  const profile = profiles.named(name);
  const model = chosen ?? profile?.model ?? null;
  const isDemo = profiles.list?.some((each) => each.demo && each.model === model) ?? false;
  return { profile, model, isDemo: isDemo || (model?.startsWith("demo/") ?? false) };
}
