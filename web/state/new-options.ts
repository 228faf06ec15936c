// How the next session is to begin, kept in this browser: most people begin most sessions alike.
import { createMutable } from "solid-js/store";
import type { NewSession } from "../../src/client/commands.ts";
import { keepItem } from "./unsent.ts";

export type NewOptions = {
  /** Null: the server's default. */
  profile: string | null;
  /** Null: the profile's own. */
  model: string | null;
  /** Blank: a directory is made for it, or the profile names one. */
  workspace: string;
};

const KEY = "holdfast:new";
const NONE: NewOptions = { profile: null, model: null, workspace: "" };

export const newOptions = createMutable<NewOptions>(kept());

export function setNewOptions(change: Partial<NewOptions>): void {
  Object.assign(newOptions, change);
  keepItem(KEY, JSON.stringify(newOptions));
}

/** As the server takes them. */
export function chosenOptions(): Pick<NewSession, "profile" | "model" | "workspace"> {
  const { profile, model, workspace } = newOptions;
  return {
    ...(profile !== null && { profile }),
    ...(model !== null && { model }),
    ...(workspace.trim() !== "" && { workspace: workspace.trim() }),
  };
}

function kept(): NewOptions {
  const json = localStorage.getItem(KEY);
  return json === null ? { ...NONE } : { ...NONE, ...(JSON.parse(json) as Partial<NewOptions>) }; // this page wrote it
}
