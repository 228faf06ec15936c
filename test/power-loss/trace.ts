// What a process did to the files in a folder, and what it said, in the one order in which the kernel saw both.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export type Operation =
  | { do: "open"; path: string; creates: boolean; empties: boolean }
  | { do: "write"; path: string; at: number | "end"; bytes: Buffer }
  | { do: "copy"; from: string; path: string; at: number; count: number }
  | { do: "truncate"; path: string; size: number }
  /** Of what had been done when it was asked for: `since` operations. */
  | { do: "sync"; path: string; since: number }
  | { do: "mkdir" | "unlink"; path: string }
  | { do: "rename" | "link"; from: string; path: string }
  /** On stdout. From here on somebody relies on it. */
  | { do: "say"; text: string };

const KNOWN =
  "openat,write,pwrite64,copy_file_range,sendfile,ftruncate,fsync,fdatasync,mkdir,unlink,rename,link";
/** What would change a file behind this test's back. */
const UNKNOWN =
  "open,creat,writev,pwritev,pwritev2,fallocate,truncate,mkdirat,unlinkat,rmdir,renameat,renameat2,linkat";
/** More than SQLite writes at once; only zeros that fill the ballast are longer. */
const WRITE_MAX_BYTES = 65_536;

/** Runs a script to its end and tells what it did below `folder`. */
export async function trace(folder: string, script: string, ...args: string[]): Promise<Operation[]> {
  const place = await mkdtemp(join(tmpdir(), "holdfast-trace-"));
  try {
    const file = join(place, "trace");
    const how = ["-f", "--seccomp-bpf", "-y", "-xx", "-qq", "-s", String(WRITE_MAX_BYTES), "-o", file];
    const child = spawn(
      "strace",
      [...how, "-e", `trace=${KNOWN},${UNKNOWN}`, process.execPath, script, ...args],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    child.stdout.resume();
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error(`the traced process ended with ${code}`);
    return operationsIn(await readFile(file, "latin1"), folder);
  } finally {
    await rm(place, { recursive: true });
  }
}

type Call = { name: string; args: string; result: string; since: number };

function operationsIn(text: string, folder: string): Operation[] {
  const operations: Operation[] = [];
  /** Where the next write to a descriptor goes. */
  const ends = new Map<string, number | "end">();
  for (const call of callsIn(text, () => operations.length)) {
    const operation = operationOf(call, ends);
    if (operation === undefined) continue;
    if (operation.do !== "say" && operation.path !== folder && !operation.path.startsWith(`${folder}/`))
      continue;
    if (UNKNOWN.split(",").includes(call.name)) throw new Error(`${call.name} of ${operationPath(call)}`);
    operations.push(operation);
  }
  return operations;
}

/** Calls that succeeded, when they were over; one that another thread's came between is told in two parts. */
function* callsIn(text: string, count: () => number): Generator<Call> {
  const begun = new Map<string, { head: string; since: number }>();
  for (const line of text.split("\n")) {
    const space = line.indexOf(" ");
    const thread = line.slice(0, space);
    let rest = line.slice(space).trimStart();
    let since = count();
    if (rest.endsWith("<unfinished ...>")) {
      begun.set(thread, { head: rest.slice(0, -"<unfinished ...>".length).trimEnd(), since });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest);
    const head = begun.get(thread);
    if (resumed && head) {
      rest = head.head + rest.slice(resumed[0].length);
      since = head.since;
      begun.delete(thread);
    }
    const open = rest.indexOf("(");
    const close = rest.lastIndexOf(") ");
    const result = /^\)\s+= (\d+)/.exec(rest.slice(close))?.[1]; // a failure is negative
    if (open > 0 && result !== undefined)
      yield { name: rest.slice(0, open), args: rest.slice(open + 1, close), result, since };
  }
}

function operationOf(call: Call, ends: Map<string, number | "end">): Operation | undefined {
  const { name, args, result, since } = call;
  const path = operationPath(call);
  switch (name) {
    case "openat": {
      ends.set(result, args.includes("O_APPEND") ? "end" : 0);
      const [creates, empties] = [args.includes("O_CREAT"), args.includes("O_TRUNC")];
      return creates || empties ? { do: "open", path, creates, empties } : undefined;
    }
    case "write": {
      const descriptor = args.slice(0, args.indexOf("<"));
      const bytes = bytesOf(args, Number(result));
      if (descriptor === "1") return { do: "say", text: bytes.toString() };
      const at = ends.get(descriptor) ?? 0;
      if (at !== "end") ends.set(descriptor, at + bytes.length);
      return isDeleted(args) ? undefined : { do: "write", path, at, bytes };
    }
    case "pwrite64":
      if (isDeleted(args)) return undefined;
      return { do: "write", path, at: lastNumber(args), bytes: bytesOf(args, Number(result)) };
    case "ftruncate":
      return isDeleted(args) ? undefined : { do: "truncate", path, size: lastNumber(args) };
    case "fsync":
    case "fdatasync":
      return isDeleted(args) ? undefined : { do: "sync", path, since };
    case "copy_file_range":
    case "sendfile":
      return copyOf(call, ends);
    case "mkdir":
    case "unlink":
      return { do: name, path };
    case "rename":
    case "link":
      return { do: name, from: path, path: unhex(quoted(args)[1] ?? "") };
    default:
      return { do: "open", path, creates: true, empties: true }; // refused by its name, if it is in the folder
  }
}

/** copy_file_range(from, [offset], to, [offset], …), sendfile(to, from, [offset], …). */
function copyOf({ name, args, result }: Call, ends: Map<string, number | "end">): Operation {
  const places = Array.from(args.matchAll(/(\d+)<([^>]*)>/g), ([, descriptor, path]) => ({
    descriptor: descriptor ?? "",
    path: unhex(path ?? ""),
  }));
  const [from, to] = name === "sendfile" ? places.toReversed() : places;
  if (!from || !to) throw new Error(`${name}(${args}) was not understood`);
  const at = ends.get(to.descriptor) ?? 0;
  if (at === "end") throw new Error(`${name} to the end of ${to.path}`);
  ends.set(to.descriptor, at + Number(result));
  return { do: "copy", from: from.path, path: to.path, at, count: Number(result) };
}

/** Of the descriptor that comes first, or of the first text. */
function operationPath({ name, args }: Call): string {
  if (name !== "openat" && /^\d+</.test(args))
    return unhex(args.slice(args.indexOf("<") + 1, args.indexOf(">")));
  const path = unhex(quoted(args)[0] ?? "");
  return path.endsWith("/") ? dirname(`${path}x`) : path;
}

function isDeleted(args: string): boolean {
  return args.slice(args.indexOf(">")).startsWith(">(deleted)");
}

function bytesOf(args: string, written: number): Buffer {
  const from = args.indexOf('"') + 1;
  const to = args.indexOf('"', from);
  const bytes = Buffer.from(args.slice(from, to).replaceAll("\\x", ""), "hex");
  if (bytes.length >= written) return bytes.subarray(0, written);
  if (bytes.some((byte) => byte !== 0))
    throw new Error(`a write of ${written} bytes was cut short in the trace`);
  return Buffer.alloc(written);
}

function quoted(args: string): string[] {
  return Array.from(args.matchAll(/"([^"]*)"/g), ([, text]) => text ?? "");
}

function lastNumber(args: string): number {
  return Number(args.slice(args.lastIndexOf(",") + 1));
}

function unhex(text: string): string {
  return Buffer.from(text.replaceAll("\\x", ""), "hex").toString();
}
