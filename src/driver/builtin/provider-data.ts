// What a provider wants to hear again of a piece: its own id of a call, a signature, an encrypted thought. It is kept in
// the log as `Piece.provider` and read back with care, since another version or another driver may have written it.
import type { ProviderOptions } from "./model.ts";

export type ProviderData = {
  /** The provider's own id of a call. */
  id?: string;
  options?: ProviderOptions;
};

export function readProviderData(stored: unknown): ProviderData {
  if (!isRecord(stored)) return {};
  const { id, options } = stored;
  return {
    ...(typeof id === "string" && { id }),
    // Only JSON goes into a log, so what comes out of it is JSON.
    ...(isRecord(options) &&
      Object.values(options).every(isRecord) && { options: options as ProviderOptions }),
  };
}

/** What came later adds to what came before: a signature follows the thought that it signs. */
export function mergeOptions(
  before: ProviderOptions | undefined,
  more: ProviderOptions | undefined,
): ProviderOptions | undefined {
  if (!before || !more) return more ?? before;
  const merged = { ...before };
  for (const [provider, options] of Object.entries(more))
    merged[provider] = { ...merged[provider], ...options };
  return merged;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
