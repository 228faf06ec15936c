// A process of its own for one side of a row: it announces itself with its first message and goes with whoever forked it.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type Host<Said> = {
  /** What it said first. */
  ready: Said;
  tell(message: object): void;
  /** The next thing that it says. */
  next(): Promise<Said>;
};

export async function startHost<Said extends object>(
  stack: AsyncDisposableStack,
  name: string,
  ...args: string[]
): Promise<Host<Said>> {
  const child = fork(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), args, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  stack.defer(() => end(child));
  const said: Said[] = [];
  let waiting: PromiseWithResolvers<Said> | undefined;
  let lost: Error | undefined;
  child.on("message", (message) => {
    const one = message as Said; // the host's own file says what it sends
    if (waiting) waiting.resolve(one);
    else said.push(one);
    waiting = undefined;
  });
  child.on("exit", (code) => {
    lost = new Error(`the ${name} process ended with ${code}`);
    waiting?.reject(lost);
  });
  const next = async (): Promise<Said> => {
    const first = said.shift();
    if (first !== undefined) return first;
    if (lost) throw lost;
    waiting = Promise.withResolvers();
    return waiting.promise;
  };
  return { ready: await next(), tell: (message) => void child.send(message), next };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL"); // what it holds is the run's own folder
  await gone;
}

/** In the host itself. */
export function say(message: object): void {
  if (!process.send) throw new Error("this file is a part of `npm run bench`");
  process.send(message);
}

export function whenTold<Told>(act: (message: Told) => void): void {
  process.on("message", (message) => act(message as Told)); // from the row that forked us
  process.on("disconnect", () => process.exit());
}
