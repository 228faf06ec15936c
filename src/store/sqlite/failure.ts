// An error on its way between the writer's thread and the one that asked.
import { StorageError } from "../store.ts";

export type Failure = {
  kind: StorageError["kind"] | "fault";
  message: string;
  name?: string;
  stack?: string;
};

export function failureOf(error: unknown): Failure {
  if (error instanceof StorageError) return { kind: error.kind, message: error.message };
  if (!(error instanceof Error)) return { kind: "fault", message: String(error) };
  const { message, name, stack } = error;
  return { kind: "fault", message, name, ...(stack === undefined ? {} : { stack }) };
}

/** Of one that was a StorageError. */
export function storageErrorOf({ kind, message }: Failure): StorageError {
  return new StorageError(kind === "fault" ? "broken" : kind, message);
}

export function errorOf({ kind, message, name, stack }: Failure): Error {
  if (kind !== "fault") return new StorageError(kind, message);
  // With the stack of where it happened: this side of it says nothing.
  return Object.assign(new Error(message), {
    name: name ?? "Error",
    ...(stack === undefined ? {} : { stack }),
  });
}
