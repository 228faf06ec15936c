// Short news that belongs to nothing on screen. Anyone can show some; it leaves by itself, sooner when there is too much.
import { createSignal } from "solid-js";

export type NewToast = {
  text: string;
  detail?: string;
  tone?: "news" | "needs_you" | "failed";
  /** Where a click leads. */
  href?: string;
  /** Something to do about it, such as taking it back. */
  action?: { label: string; run: () => void };
  /** Takes the place of an earlier one with the same key. */
  key?: string;
  lastsMs?: number;
  /** It has left, in whatever way but by its action. */
  onGone?: () => void;
};

export type Toast = NewToast & { id: number };

export const TOASTS_MAX = 4;
const LASTS_MS = 8_000;

const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
export { toasts };

type Timer = { leftMs: number; since: number; handle: ReturnType<typeof setTimeout> | undefined };
const timers = new Map<number, Timer>();
let isHeld = false;
let count = 0;

/** The returned function takes it away again. */
export function showToast(given: NewToast): () => void {
  const toast: Toast = { ...given, id: (count += 1) };
  const before = toasts().find(({ key }) => key !== undefined && key === toast.key);
  if (before) dismissToast(before.id);
  setToasts([...toasts(), toast]);
  for (const { id } of toasts().slice(0, -TOASTS_MAX)) dismissToast(id);
  wait(toast.id, toast.lastsMs ?? LASTS_MS);
  return () => dismissToast(toast.id);
}

export function dismissToast(id: number): void {
  take(id)?.onGone?.();
}

export function actOnToast(id: number): void {
  take(id)?.action?.run();
}

/** Nothing leaves while someone reads or is about to press something. */
export function holdToasts(held: boolean): void {
  if (held === isHeld) return;
  isHeld = held;
  for (const [id, { leftMs, since, handle }] of timers) {
    clearTimeout(handle);
    wait(id, held ? leftMs - (Date.now() - since) : leftMs);
  }
}

function take(id: number): Toast | undefined {
  const toast = toasts().find((each) => each.id === id);
  clearTimeout(timers.get(id)?.handle);
  timers.delete(id);
  setToasts(toasts().filter((each) => each !== toast));
  return toast;
}

function wait(id: number, leftMs: number): void {
  const handle = isHeld ? undefined : setTimeout(() => dismissToast(id), leftMs);
  timers.set(id, { leftMs, since: Date.now(), handle });
}
