// One traced life, and many ways in which it might have been cut short.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { Chance } from "../simulation/chance.ts";
import { Disk } from "./disk.ts";
import { trace, type Operation } from "./trace.ts";
import type { Promised } from "./writer.ts";

const WRITER = fileURLToPath(new URL("writer.ts", import.meta.url));
const AT_A_TIME = 4;

export type Life = {
  /** As it was left by the process that lived it to its end. */
  home: string;
  lose(count: number, seed: number, look: (loss: Loss) => Promise<void>): Promise<void>;
};

export type Loss = {
  home: string;
  /** All that was said before the power failed, in order. */
  promised: Promised[];
};

export async function live(what: string): Promise<Life> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-power-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const root = join(folder, "disk");
  await mkdir(root);
  const operations = await trace(root, WRITER, what, join(root, "home"));
  return {
    home: join(root, "home"),
    async lose(count, seed, look) {
      const chance = new Chance(seed);
      const disk = new Disk(root);
      const promised: Promised[] = [];
      const looks: Promise<void>[] = [];
      const failures: Error[] = [];
      let done = 0;
      for (const [n, moment] of moments(operations, count, chance).entries()) {
        for (; done < moment; done++) carryOut(operations[done]);
        const image = join(folder, `${n}`);
        await disk.losePower(image, chance);
        if (looks.length >= AT_A_TIME) await looks.shift();
        if (failures.length > 0) break;
        looks.push(lookAt(image, [...promised], `loss ${n} of seed ${seed}, after ${moment} operations`));
      }
      await Promise.all(looks);
      if (failures[0]) throw failures[0];

      function carryOut(operation: Operation | undefined): void {
        if (operation === undefined) return;
        disk.carryOut(operation);
        if (operation.do !== "say") return;
        for (const line of operation.text.trimEnd().split("\n")) promised.push(JSON.parse(line) as Promised); // the writer's own words
      }

      async function lookAt(image: string, before: Promised[], name: string): Promise<void> {
        try {
          await look({ home: join(image, "home"), promised: before });
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          failures.push(new Error(`${name}: ${message}`, { cause: error }));
        } finally {
          await rm(image, { recursive: true });
        }
      }
    },
  };
}

/** At random, right after something was promised, and right after a name has changed, of which there are few. */
function moments(operations: readonly Operation[], count: number, chance: Chance): number[] {
  const after = (...kinds: Operation["do"][]) =>
    operations.flatMap((operation, n) => (kinds.includes(operation.do) ? [n + 1] : []));
  const chosen = [operations.keys().toArray(), after("say"), after("rename", "unlink", "link", "mkdir")];
  return Array.from({ length: count }, (_, n) => chance.pick(chosen[n % chosen.length] ?? [])).toSorted(
    (a, b) => a - b,
  );
}
