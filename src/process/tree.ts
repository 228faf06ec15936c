// Which processes belong to a command, however they tried to leave: by descent, by session, by the tag in their
// environment, by the output they still hold. Sure signs only, for whoever is found here may be killed.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { missing, readClaim, readJob, readSpec } from "./directory.ts";
import { bootId } from "./identity.ts";
import { processTable, type Row } from "./process-table.ts";

export type Tree = {
  /** The shim itself lives: it will write the exit code. */
  shimAlive: boolean;
  /** The command and all that came of it. */
  members: Row[];
  /** The shim and those that carry the output. */
  keepers: Row[];
};

/** What is needed to know a tree again. */
export type TreeMark = {
  id: string;
  shimPid: number;
  shimStart: string;
  job: number | null;
  pipe: string | null;
};

const NOTHING: Tree = { shimAlive: false, members: [], keepers: [] };

/** `known` are those that were found before, by keyOf: when their parents end they may bear no sign any more. */
export async function findTree(dir: string, known: ReadonlySet<string> = new Set()): Promise<Tree> {
  const mark = await markOf(dir);
  if (mark === undefined) return NOTHING;
  return treeIn(await processTable(firstTick(mark)), mark, known);
}

export function keyOf({ pid, start }: Pick<Row, "pid" | "start">): string {
  return `${pid} ${start}`;
}

/** Undefined when nothing of it can be alive. */
export async function markOf(dir: string): Promise<TreeMark | undefined> {
  const claim = await readClaim(dir);
  const spec = await readSpec(dir);
  if (typeof claim !== "object" || spec === undefined || claim.boot !== (await bootId())) return undefined;
  const pipe = await missing(stat(join(dir, "pipe")));
  return {
    id: spec.id,
    shimPid: claim.pid,
    shimStart: claim.start,
    job: (await readJob(dir)) ?? null,
    pipe: pipe === undefined ? null : `${pipe.dev}:${pipe.ino}`,
  };
}

/** Where start times are not numbers, nothing is left out. */
export function firstTick(mark: TreeMark): number {
  return Number(mark.shimStart) || 0;
}

export function treeIn(table: readonly Row[], mark: TreeMark, known: ReadonlySet<string> = new Set()): Tree {
  const shim = table.find(({ pid, start }) => pid === mark.shimPid && start === mark.shimStart);
  const found = new Map<number, Row>();
  for (const row of table)
    if (row === shim || known.has(keyOf(row)) || bearsSign(row, mark, shim !== undefined))
      found.set(row.pid, row);
  addDescendants(found, table);
  found.delete(process.pid);
  const isKeeper = ({ pgrp }: Row) => pgrp === mark.shimPid;
  const all = [...found.values()];
  return {
    shimAlive: shim !== undefined,
    members: all.filter((row) => !isKeeper(row)),
    keepers: all.filter(isKeeper),
  };
}

/** A session's number is only its own as long as the shim, which has not yet taken the job's exit, keeps it from being given away. */
function bearsSign(row: Row, mark: TreeMark, shimAlive: boolean): boolean {
  if (row.tag === mark.id) return true;
  if (mark.pipe !== null && row.outputs.includes(mark.pipe)) return true;
  return shimAlive && mark.job !== null && row.session === mark.job;
}

function addDescendants(found: Map<number, Row>, table: readonly Row[]): void {
  const children = Map.groupBy(table, ({ ppid }) => ppid);
  const open = [...found.keys()];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop())
    for (const child of children.get(pid) ?? [])
      if (!found.has(child.pid)) {
        found.set(child.pid, child);
        open.push(child.pid);
      }
}
