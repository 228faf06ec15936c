// On which TCP ports some processes listen.
import { readdir, readFile, readlink } from "node:fs/promises";
import { ofOthers } from "./process-table.ts";

/** For one pass over many trees: the machine's table of sockets may be long, so it is read once. */
export function portReader(): (pids: readonly number[]) => Promise<number[]> {
  const listeners = new Map<string, Promise<Map<string, number>>>();
  return async (pids) => {
    const ports = await Promise.all(
      pids.map(async (pid) => {
        // A sandbox without network has ports of its own.
        const namespace = await ofOthers(readlink(`/proc/${pid}/ns/net`));
        if (namespace === undefined) return [];
        const known = listeners.get(namespace) ?? listenersSeenBy(pid);
        listeners.set(namespace, known);
        return portsOf(pid, await known);
      }),
    );
    return [...new Set(ports.flat())].toSorted((a, b) => a - b);
  };
}

async function portsOf(pid: number, listeners: ReadonlyMap<string, number>): Promise<number[]> {
  if (listeners.size === 0) return [];
  return (await socketsOf(pid)).flatMap((socket) => listeners.get(socket) ?? []);
}

const LISTEN = "0A";

/** Port by socket inode. */
async function listenersSeenBy(pid: number): Promise<Map<string, number>> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => ofOthers(readFile(`/proc/${pid}/net/${name}`, "utf8"))),
  );
  const listeners = new Map<string, number>();
  for (const line of tables.flatMap((table) => table?.split("\n").slice(1) ?? [])) {
    const fields = line.trim().split(/ +/);
    const [address = "", state, inode = ""] = [fields[1], fields[3], fields[9]];
    if (state === LISTEN)
      listeners.set(inode, Number.parseInt(address.slice(address.lastIndexOf(":") + 1), 16));
  }
  return listeners;
}

async function socketsOf(pid: number): Promise<string[]> {
  const descriptors = (await ofOthers(readdir(`/proc/${pid}/fd`))) ?? [];
  const targets = await Promise.all(
    descriptors.map((descriptor) => ofOthers(readlink(`/proc/${pid}/fd/${descriptor}`))),
  );
  return targets.flatMap((target) => target?.match(/^socket:\[(\d+)\]$/)?.[1] ?? []);
}
