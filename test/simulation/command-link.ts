// How a node reaches the processes: each look and each signal takes its time, and a node that dies in between has done
// only what it had come to.
import type { Commands } from "../../src/executor/commands.ts";
import { DiskFault, type Rates } from "./faults.ts";
import type { Ledger } from "./ledger.ts";
import { callOf, type ProcessTable } from "./process-table.ts";
import type { Life, World } from "./world.ts";

type Around = { world: World; table: ProcessTable; ledger: Ledger; rates: () => Rates };

export function commandLink(
  { world, table, ledger: { finds, unstopped }, rates }: Around,
  life: Life,
): Commands {
  const later = <T>(what: string, effect: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      world.soon(life, what, () => {
        if (world.chance.happens(rates().diskFault)) reject(new DiskFault(what));
        else resolve(effect());
      });
    });

  /** Until it has said more or is over, or the signal is aborted. */
  function changed(process: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        forget();
        signal.removeEventListener("abort", go);
        world.soon(life, `${process} is looked at`, resolve);
      };
      const forget = table.onceChanged(process, go);
      if (signal.aborted) go();
      else signal.addEventListener("abort", go, { once: true });
    });
  }

  return {
    async start({ process, command }) {
      const taken = await later(`${process} is taken`, () => table.take(process));
      if (!taken) return { ok: false, reason: `${process} was started or given up before` };
      // The spawn is another's doing from here on: it may come about though the one who asked for it is dead.
      const spawner = world.chance.happens(0.5) ? life : undefined;
      const began = await new Promise<boolean>((resolve) => {
        world.soon(spawner, `${process} begins`, () => {
          const begun = table.begin(process, command, world.chance.happens(rates().processStubborn));
          world.soon(life, `${process} has begun`, () => resolve(begun));
        });
      });
      return began ? { ok: true } : { ok: false, reason: "it was given up meanwhile" };
    },
    async find(process) {
      const found = await later(`${process} is found`, () => table.adopt(process));
      finds.set(callOf(process), [...(finds.get(callOf(process)) ?? []), found.state]);
      return found;
    },
    async finished(process, signal) {
      for (;;) {
        const state = await later(`${process} is awaited`, () => table.adopt(process));
        if (state.state !== "running") return state;
        if (signal.aborted) return undefined;
        await changed(process, signal);
      }
    },
    async *follow(process, signal) {
      let read = 0;
      while (!signal.aborted) {
        const { state, output } = await later(`${process} is followed`, () => {
          table.adopt(process);
          return { state: "unstarted", output: "", ...table.get(process) };
        });
        if (output.length > read) yield output.slice(read);
        read = output.length;
        if (state !== "running") return;
        await changed(process, signal);
      }
    },
    result: (process) => later(`${process} is read`, () => table.get(process)?.output ?? ""),
    async stop(process, reason) {
      try {
        await later(`${process} is asked to end`, () => undefined);
        const ended = await later(`${process} is ended`, () => table.stop(process, reason));
        if (!ended) throw new Error(`${process} could not be stopped`);
      } catch (error) {
        unstopped.add(process);
        throw error;
      }
    },
  };
}
