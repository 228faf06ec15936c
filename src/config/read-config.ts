// Reads config.toml: every value has a default, every mistake is named with its line, and nothing is guessed.
import { readFileSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import type { z } from "zod";
import { nearest } from "./nearest.ts";
import { lineOf, type KeyPath } from "./line-of.ts";
import { Config } from "./schema.ts";

export type ConfigFault = { line: number; key: string; message: string };

export type ReadConfig =
  | {
      ok: true;
      config: Config;
      /** Where a value was written, so that `doctor` can say it; undefined for a default. */
      lineOf(path: KeyPath): number | undefined;
    }
  | { ok: false; faults: ConfigFault[] };

export function readConfig(file: string): ReadConfig {
  try {
    return parseConfig(textOf(file) ?? "");
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    const message = `it can't be read (${error.message}): make it readable for this user`;
    return { ok: false, faults: [{ line: 1, key: "", message }] };
  }
}

export function parseConfig(text: string): ReadConfig {
  let raw: Record<string, unknown>;
  try {
    raw = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split("\n", 1).join().replace("Invalid TOML document: ", "");
    return { ok: false, faults: [{ line: error.line, key: "", message }] };
  }
  const parsed = Config.safeParse(raw);
  if (!parsed.success) return { ok: false, faults: faultsOf(parsed.error, text) };
  return {
    ok: true,
    config: parsed.data,
    lineOf: (path) => (isWritten(raw, path) ? lineOf(text, path) : undefined),
  };
}

/** `config.toml:6: executor.maxTurns: expected number, received string`, a line each. */
export function describeFaults(file: string, faults: readonly ConfigFault[]): string {
  return faults
    .map(({ line, key, message }) => `${file}:${line}: ${key === "" ? "" : `${key}: `}${message}`)
    .join("\n");
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function faultsOf(error: z.ZodError, text: string): ConfigFault[] {
  const faults = error.issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    if (issue.code === "invalid_key")
      return issue.issues.map(({ message }) => faultAt(text, path, plain(message)));
    if (issue.code !== "unrecognized_keys") return [faultAt(text, path, plain(issue.message))];
    return issue.keys.map((key) => faultAt(text, [...path, key], unknownKey(key, path)));
  });
  return faults.toSorted((a, b) => a.line - b.line);
}

function faultAt(text: string, path: KeyPath, message: string): ConfigFault {
  return { line: lineOf(text, path), key: path.join("."), message };
}

/** Zod begins with a capital and names its own view of things; a config file's reader wants the value. */
function plain(message: string): string {
  return message.replace(/^Invalid input: /, "").replace(/^Invalid option: /, "");
}

function unknownKey(key: string, path: KeyPath): string {
  const known = knownKeys(path);
  const meant = nearest(key, known);
  if (meant !== undefined) return `there is no such key; did you mean "${meant}"?`;
  return `there is no such key; known here: ${known.join(", ")}`;
}

function knownKeys(path: KeyPath): string[] {
  let schema: z.core.$ZodType = Config;
  for (const part of path) {
    const inner = innerOf(schema, part);
    if (inner === undefined) return [];
    schema = inner;
  }
  const object = unwrapped(schema)._zod.def as z.core.$ZodObjectDef;
  return Object.keys(object.shape ?? {});
}

function innerOf(schema: z.core.$ZodType, part: string | number): z.core.$ZodType | undefined {
  const { def } = unwrapped(schema)._zod;
  switch (def.type) {
    case "object":
      return (def as z.core.$ZodObjectDef).shape[part];
    case "record":
      return (def as z.core.$ZodRecordDef).valueType;
    case "array":
      return (def as z.core.$ZodArrayDef).element;
    default:
      return undefined;
  }
}

/** Without the layers that only say "may be left out". */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while ("innerType" in inner._zod.def) inner = inner._zod.def.innerType as z.core.$ZodType;
  return inner;
}

function isWritten(raw: unknown, path: KeyPath): boolean {
  let value = raw;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return false;
    value = (value as Record<string, unknown>)[part];
  }
  return true;
}
