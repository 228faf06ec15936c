// What a path names, before anything is opened: for rules, for people, and for what is run by name. A path is put in
// order first, "x/.." and all, and only then followed, here as where it is opened: a link can't make two things of it.
import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { z } from "zod";
import type { About, Call, Place } from "./tool.ts";

/** No system takes a longer one, and each of its parts may have to be looked at. */
export const FilePath = z.string().max(4096);

export type Target = {
  /** Relative to the workspace; whole where it leads out of it. */
  name: string;
  /** The same by its real path. */
  realName: string;
  /** The workspace's real path. */
  root: string;
  isInside: boolean;
  /** It is Holdfast's own, or in that. */
  isHidden: boolean;
  /** What of it is Holdfast's own: a directory in it, by its real path. */
  hides: string | undefined;
};

export async function targetOf(place: Place, path: string): Promise<Target> {
  const real = await realTarget(place, path);
  const [root, home] = [await realTarget(place, "."), await realTarget(place, place.hidden)];
  return {
    name: nameIn(resolve(place.workspace), resolve(place.workspace, path)),
    realName: nameIn(root, real),
    root,
    isInside: isIn(root, real),
    isHidden: isHidden(home, root, real),
    hides: isIn(real, home) && !isAround(home, root) ? home : undefined,
  };
}

/** Of a call that reads or changes a file of the workspace, and no other: those are refused where they are opened. */
export async function aboutFile(place: Place, path: string): Promise<About> {
  const target = await targetOf(place, path);
  return { title: target.name, ...aboutPath(place, target), harmless: true };
}

export function aboutPath(
  { workspace }: Place,
  { name, realName, root }: Target,
): Pick<About, "subject" | "path" | "cwd" | "leadsTo"> {
  return {
    subject: name,
    path: { real: realName, root: resolve(workspace), realRoot: root },
    cwd: workspace,
    ...(realName !== name && { leadsTo: realName }),
  };
}

/** Where a path really leads, whether or not the end of it is there. */
export async function realTarget({ workspace }: Place, path: string): Promise<string> {
  const rest: string[] = [];
  for (let at = resolve(workspace, path); ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return join(real, ...rest);
    if (at === dirname(at)) return join(at, ...rest);
    rest.unshift(basename(at));
  }
}

/** What a call that changes a file remembers of where it began; those of older servers remember nothing. */
export const Begun = z.object({ at: z.string().optional() });

/** Why a call is not gone on with, where its path has come to name another file: of another workspace, behind another link. */
export async function movedWords(call: Call, path: string): Promise<string | undefined> {
  const { at } = Begun.safeParse(call.trace).data ?? {};
  if (at === undefined || at === (await realTarget(call, path))) return undefined;
  return `${path} names another file by now, which was left alone. It was begun with ${at}: verify whether that was changed.`;
}

/** For a tool that may look at any file: a command, another agent. */
export const ALL_FILES = sep;

export function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : folder + sep);
}

/** All of these by their real paths. */
export function isHidden(home: string, root: string, path: string): boolean {
  return isIn(home, path) && !(isAround(home, root) && isIn(root, path));
}

export function hiddenWords(path: string): string {
  return `${path} is Holdfast's own: its directory is out of reach, also inside the workspace`;
}

/** A workspace that lies in what is hidden is not. */
function isAround(home: string, root: string): boolean {
  return home !== root && isIn(home, root);
}

function nameIn(root: string, path: string): string {
  return isIn(root, path) ? relative(root, path) || "." : path;
}
