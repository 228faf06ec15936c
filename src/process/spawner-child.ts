// The small process that starts shims: fork() copies page tables, and the server's are large (29 ms at 1.1 GB).
// It ends with its server; the shims, leaders of their own sessions, do not.
import { spawn } from "node:child_process";

export type SpawnRequest = { id: number; file: string; args: string[]; env: Record<string, string> };
export type SpawnReply =
  | { id: number; pid: number }
  | { id: number; error: string }
  | { id: number; exit: number | null };

process.on("message", (request: SpawnRequest) => start(request));
process.on("disconnect", () => process.exit(0));
// Ctrl-C reaches a whole terminal; the server still needs this process while it shuts down.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

function start({ id, file, args, env }: SpawnRequest): void {
  try {
    const shim = spawn(file, args, { cwd: "/", env, detached: true, stdio: "ignore" });
    shim.on("spawn", () => reply({ id, pid: shim.pid ?? 0 }));
    shim.on("error", (error) => reply({ id, error: error.message }));
    shim.on("exit", (exit) => reply({ id, exit }));
  } catch (error) {
    reply({ id, error: error instanceof Error ? error.message : String(error) }); // a NUL byte, say
  }
}

function reply(message: SpawnReply): void {
  // When the server is gone there is nobody to tell, and "disconnect" is about to come.
  if (process.connected) process.send?.(message, () => {});
}
