// Which of the tools that a profile names there are, and what is said of the others.
import { COMING_TOOLS, type ProfileConfig, type ToolName } from "../config/schema.ts";
import type { NamedProfile } from "./profiles.ts";

const COMING: ReadonlySet<string> = new Set(COMING_TOOLS);

export function toolsThere({ tools }: Pick<ProfileConfig, "tools">): ToolName[] {
  return tools.filter((tool): tool is ToolName => !COMING.has(tool));
}

/** A line for each name that means nothing yet. */
export function toolNotices(profiles: readonly NamedProfile[]): string[] {
  return profiles.flatMap(({ name, config }) =>
    config.tools
      .filter((tool) => COMING.has(tool))
      .map(
        (tool) =>
          `profiles.${name}.tools names "${tool}", which this version does not have yet: its agents work without it`,
      ),
  );
}
