import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { actOnToast, dismissToast, holdToasts, showToast, toasts, TOASTS_MAX } from "./show.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  holdToasts(false);
  for (const { id } of toasts()) dismissToast(id);
  vi.useRealTimers();
});

const texts = () => toasts().map(({ text }) => text);

test("a toast leaves by itself, and says so", () => {
  const onGone = vi.fn<() => void>();
  showToast({ text: "one", lastsMs: 1000, onGone });
  vi.advanceTimersByTime(999);
  expect(texts()).toEqual(["one"]);
  vi.advanceTimersByTime(1);
  expect(texts()).toEqual([]);
  expect(onGone).toHaveBeenCalledOnce();
});

test("beyond a few the oldest makes room", () => {
  for (let n = 0; n <= TOASTS_MAX; n++) showToast({ text: `${n}` });
  expect(texts()).toEqual(Array.from({ length: TOASTS_MAX }, (_, n) => `${n + 1}`));
});

test("while it is held nothing leaves, and afterwards only what is left of its time passes", () => {
  showToast({ text: "read me", lastsMs: 1000 });
  vi.advanceTimersByTime(600);
  holdToasts(true);
  vi.advanceTimersByTime(60_000);
  expect(texts()).toEqual(["read me"]);
  holdToasts(false);
  vi.advanceTimersByTime(399);
  expect(texts()).toEqual(["read me"]);
  vi.advanceTimersByTime(1);
  expect(texts()).toEqual([]);
});

test("news about the same thing takes the place of older news", () => {
  showToast({ text: "asks", key: "ses_1" });
  showToast({ text: "finished", key: "ses_1" });
  expect(texts()).toEqual(["finished"]);
});

test("who acts on a toast is not told that it is gone as well", () => {
  const run = vi.fn<() => void>();
  const onGone = vi.fn<() => void>();
  showToast({ text: "deleted", action: { label: "Undo", run }, onGone });
  actOnToast(toasts()[0]?.id ?? 0);
  expect(run).toHaveBeenCalledOnce();
  expect(onGone).not.toHaveBeenCalled();
  expect(texts()).toEqual([]);
});
