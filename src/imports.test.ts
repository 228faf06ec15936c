import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Rule {
  /** The only other layers it may import; without it every layer but those in `never`. */
  only?: string[];
  never?: string[];
  /** The only packages it may import. */
  packages?: string[];
  /** Runs in the browser too, so Node's own modules are out of reach. */
  portable?: true;
  why: string;
}

const RULES: Record<string, Rule> = {
  session: { only: [], packages: ["zod"], portable: true, why: "facts and their meaning are pure" },
  task: { only: [], packages: ["zod"], portable: true, why: "facts and their meaning are pure" },
  protocol: {
    only: ["session", "task"],
    packages: ["zod"],
    portable: true,
    why: "both ends of the wire are typed by it",
  },
  secret: { only: [], why: "whatever says something may have to hide something" },
  store: { only: ["session", "task"], why: "what is stored must not know who works with it" },
  driver: { never: ["store"], why: "only the executor holds the lease that an append needs" },
  tool: { never: ["store"], why: "only the executor holds the lease that an append needs" },
  process: { never: ["store"], why: "only the executor holds the lease that an append needs" },
  server: { never: ["executor"], why: "admission stays apart from execution" },
  client: {
    only: ["session", "task", "protocol"],
    portable: true,
    why: "it is all that web and cli see of the system",
  },
  cli: { only: ["client", "session", "protocol"], why: "what the command line can do, every client can" },
  web: {
    only: ["client", "session", "protocol"],
    portable: true,
    why: "what the dashboard can do, every client can",
  },
};

test("every import goes in the allowed direction", () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(0);
  expect(files.flatMap(({ path, text }) => wrongImports(path, text))).toEqual([]);
});

test("npm run check, the gate, looks at them too", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    scripts: Record<string, string>;
  };
  expect(scripts["check"]).toContain("src/imports.test.ts");
});

test.each([
  ["src/session/apply.ts", `import type { Store } from "../store/store.ts";`],
  ["src/session/apply.ts", `import { readFile } from "node:fs/promises";`],
  ["src/session/apply.ts", `import { nanoid } from "nanoid";`],
  ["src/task/status.ts", `export * from "../session/event.ts";`],
  ["src/store/sqlite/append.ts", `const { serve } = await import("../../server/serve.ts");`],
  ["src/store/sqlite/append.ts", "new Worker(new URL(`../../executor/drain.ts`, import.meta.url));"],
  ["src/driver/acp/agent.ts", `import {\n  append,\n} from '../../store/store.ts';`],
  ["src/tool/read.ts", `import "../store/store.ts";`],
  ["src/process/shim.ts", `import { append } from "../store/store.ts";`],
  ["src/server/sessions.ts", `import { drain } from "../executor/drain.ts";`],
  ["src/client/attach.ts", `import { once } from "events";`],
  ["src/cli/list.ts", `import { openStore } from "../store/store.ts";`],
  ["web/session/list.tsx", `import { openStore } from "../../src/store/store.ts";`],
  ["src/executor/drain.ts", `import { start } from "../main.ts";`],
  ["src/keeper/sweep.ts", `import { App } from "../../web/app.tsx";`],
])("%s may not say %s", (path, text) => {
  expect(wrongImports(path, text)).toHaveLength(1);
});

test.each([
  ["src/session/apply.ts", `import * as z from "zod/mini"; import { Event } from "./event.ts";`],
  [
    "src/store/sqlite/open.ts",
    `import { DatabaseSync } from "node:sqlite"; import type { Event } from "../../session/event.ts";`,
  ],
  ["src/main.ts", `import { drain } from "./executor/drain.ts"; import { serve } from "./server/serve.ts";`],
  [
    "web/session/list.tsx",
    `import { apply } from "../../src/session/apply.ts"; import { For } from "solid-js";`,
  ],
])("%s may say %s", (path, text) => {
  expect(wrongImports(path, text)).toEqual([]);
});

function wrongImports(path: string, text: string): string[] {
  const from = layerOf(path);
  const rule = RULES[from];
  return importedNames(text).flatMap((name) => {
    const fault = name.startsWith(".")
      ? wrongLayer(from, rule, layerOf(posix.join(posix.dirname(path), name)))
      : wrongPackage(rule, name);
    return fault === undefined ? [] : [`${path} imports ${name}: ${fault}`];
  });
}

function wrongLayer(from: string, rule: Rule | undefined, to: string): string | undefined {
  if (to === from || from === "main") return undefined;
  if (to === "main" || to === "web") return `nothing stands above ${to}`;
  if (rule?.only?.includes(to) === false)
    return `${from} may import ${rule.only.join(", ") || "no other layer"}: ${rule.why}`;
  if (rule?.never?.includes(to)) return `${from} never imports ${to}: ${rule.why}`;
  return undefined;
}

function wrongPackage(rule: Rule | undefined, name: string): string | undefined {
  const bare = name.startsWith("@") ? name.split("/", 2).join("/") : name.split("/", 1).join();
  if (rule?.portable && (name.startsWith("node:") || builtinModules.includes(bare)))
    return "it also runs in the browser";
  if (rule?.packages?.includes(bare) === false)
    return `only ${rule.packages.join(", ")} is allowed: ${rule.why}`;
  return undefined;
}

/** `src/store/sqlite/append.ts` is in layer store, `src/main.ts` in main, everything under `web/` in web. */
function layerOf(path: string): string {
  const [top = "", second = ""] = path.split("/");
  return top === "src" ? second.replace(/\.ts$/, "") : top;
}

/** A regular expression, because TypeScript 7 has no JavaScript API to parse with. */
function importedNames(text: string): string[] {
  const names = text.matchAll(/(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*(["'`])([^"'`\n]+)\1/g);
  return Array.from(names, (match) => match[2] ?? "").filter((name) => !/^[a-z]+:\/\//.test(name));
}

/** Tests may reach anywhere: they set scenes that the product must not. */
function sourceFiles(): { path: string; text: string }[] {
  const root = fileURLToPath(new URL("..", import.meta.url));
  return ["src", "web"].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
      .map((name) => ({ path: posix.join(top, name), text: readFileSync(join(root, top, name), "utf8") })),
  );
}
