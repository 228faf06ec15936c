// A disk that promises no more than POSIX: bytes last once their file was synced, names once their folder was. Of all
// else a loss of power leaves what it likes, sector by sector.
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Chance } from "../simulation/chance.ts";
import { Content } from "./content.ts";
import type { Operation } from "./trace.ts";

/** The least that a disk writes whole; SQLite relies on no more. */
const SECTOR_BYTES = 512;

type Change = { at: number; bytes: Buffer } | { size: number };
type File = { kind: "file"; lasting: Content; current: Content; changes: Numbered<Change>[] };
/** All of these at once; a name that stands for nothing is gone. */
type Naming = Map<string, Node | undefined>;
type Folder = {
  kind: "folder";
  lasting: Map<string, Node>;
  current: Map<string, Node>;
  changes: Numbered<Naming>[];
};
type Node = File | Folder;
type Numbered<T> = { index: number; change: T };

/** What is left of changes that nothing has synced. */
const LEAVINGS = ["nothing", "all", "beginning", "some", "sectors"] as const;
type Leaving = (typeof LEAVINGS)[number];

export class Disk {
  readonly #root: string;
  readonly #top = newFolder();
  #index = 0;

  constructor(root: string) {
    this.#root = root;
  }

  carryOut(operation: Operation): void {
    switch (operation.do) {
      case "say":
        break;
      case "open":
        this.#open(operation);
        break;
      case "mkdir":
        this.#name([operation.path, newFolder()]);
        break;
      case "unlink":
        this.#name([operation.path, undefined]);
        break;
      case "link":
        this.#name([operation.path, this.#find(operation.from)]);
        break;
      case "rename":
        if (dirname(operation.from) !== dirname(operation.path))
          throw new Error(`${operation.from} leaves its folder`);
        this.#name([operation.from, undefined], [operation.path, this.#find(operation.from)]);
        break;
      case "truncate":
        this.#change(this.#file(operation.path), { size: operation.size });
        break;
      case "write": {
        const file = this.#file(operation.path);
        const at = operation.at === "end" ? file.current.size : operation.at;
        this.#change(file, { at, bytes: operation.bytes });
        break;
      }
      case "copy": {
        const { from, path, at, count } = operation;
        const bytes = Buffer.from(this.#file(from).current.bytes.subarray(at, at + count));
        this.#change(this.#file(path), { at, bytes });
        break;
      }
      case "sync":
        this.#sync(operation);
        break;
    }
    this.#index += 1;
  }

  /** What is found in `target` by whoever starts the machine again. */
  async losePower(target: string, chance: Chance): Promise<void> {
    await leaveFolder(this.#top, target, chance.pick(LEAVINGS), chance);
  }

  #open({ path, creates, empties }: Operation & { do: "open" }): void {
    const found = this.#find(path);
    if (found === undefined && creates)
      this.#name([path, { kind: "file", lasting: new Content(), current: new Content(), changes: [] }]);
    else if (found?.kind === "file" && empties) this.#change(found, { size: 0 });
  }

  #change(file: File, change: Change): void {
    apply(file.current, change);
    file.changes.push({ index: this.#index, change });
  }

  #name(...names: [path: string, node: Node | undefined][]): void {
    const folder = this.#find(dirname(names[0]?.[0] ?? ""));
    if (folder?.kind !== "folder") throw new Error(`${names[0]?.[0]} is in no folder of this disk`);
    const change: Naming = new Map(names.map(([path, node]) => [basename(path), node]));
    applyNaming(folder.current, change);
    folder.changes.push({ index: this.#index, change });
  }

  #sync({ path, since }: Operation & { do: "sync" }): void {
    const node = this.#find(path);
    if (node === undefined) throw new Error(`${path} is not on this disk`);
    if (node.kind === "file") for (const { change } of taken(node)) apply(node.lasting, change);
    else for (const { change } of taken(node)) applyNaming(node.lasting, change);

    function taken<T>({ changes }: { changes: Numbered<T>[] }): Numbered<T>[] {
      const next = changes.findIndex(({ index }) => index >= since);
      return changes.splice(0, next === -1 ? changes.length : next);
    }
  }

  #find(path: string): Node | undefined {
    if (path === this.#root) return this.#top;
    let node: Node | undefined = this.#top;
    for (const name of path.slice(this.#root.length + 1).split("/"))
      node = node?.kind === "folder" ? node.current.get(name) : undefined;
    return node;
  }

  #file(path: string): File {
    const found = this.#find(path);
    if (found?.kind !== "file") throw new Error(`${path} is no file of this disk`);
    return found;
  }
}

function newFolder(): Folder {
  return { kind: "folder", lasting: new Map(), current: new Map(), changes: [] };
}

function apply(content: Content, change: Change): void {
  if ("size" in change) content.resize(change.size);
  else content.write(change.at, change.bytes);
}

function applyNaming(names: Map<string, Node>, naming: Naming): void {
  for (const [name, node] of naming)
    if (node === undefined) names.delete(name);
    else names.set(name, node);
}

async function leaveFolder(folder: Folder, target: string, leaving: Leaving, chance: Chance): Promise<void> {
  await mkdir(target);
  const names = new Map(folder.lasting);
  for (const naming of left(folder.changes, leaving, chance)) {
    if (isPossible(names, naming)) applyNaming(names, naming);
  }
  for (const [name, node] of names) {
    const path = join(target, name);
    if (node.kind === "folder") await leaveFolder(node, path, leaving, chance);
    else await writeFile(path, leftOf(node, leaving, chance));
  }
}

/** Only what is there can be removed or moved, and only where nothing is can something be made. */
function isPossible(names: ReadonlyMap<string, Node>, naming: Naming): boolean {
  return Array.from(naming).every(([name, node]) =>
    node === undefined ? names.has(name) : naming.size > 1 || !names.has(name),
  );
}

function leftOf(file: File, leaving: Leaving, chance: Chance): Buffer {
  const content = file.lasting.copy();
  for (const change of left(file.changes, leaving, chance))
    if (leaving === "sectors" && "bytes" in change) leaveSectors(content, change, chance);
    else apply(content, change);
  return content.bytes;
}

function left<T>(changes: readonly Numbered<T>[], leaving: Leaving, chance: Chance): T[] {
  const all = changes.map(({ change }) => change);
  switch (leaving) {
    case "nothing":
      return [];
    case "all":
      return all;
    case "beginning":
      return all.slice(0, chance.whole(0, all.length));
    case "some": {
      const share = chance.next();
      return all.filter(() => chance.happens(share));
    }
    case "sectors":
      return all.filter(() => chance.happens(0.9));
  }
}

/** A file that had grown keeps its new size: what was not written in it yet is zeros, or whatever lay there before. */
function leaveSectors(content: Content, { at, bytes }: { at: number; bytes: Buffer }, chance: Chance): void {
  if (at + bytes.length > content.size) {
    const before = content.size;
    content.resize(at + bytes.length);
    if (chance.happens(0.5)) content.write(before, Buffer.alloc(content.size - before, 0xa5));
  }
  for (let from = 0; from < bytes.length;) {
    const to = Math.min(bytes.length, from + SECTOR_BYTES - ((at + from) % SECTOR_BYTES));
    if (chance.happens(0.5)) content.write(at + from, bytes.subarray(from, to));
    from = to;
  }
}
