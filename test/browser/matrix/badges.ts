// What a tab says of sessions that it does not show: rows, counts and its own name, compared with the server's list.
import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Ask, SessionRow } from "../../../src/protocol/http.ts";
import type { Stage } from "./stage.ts";

const PATIENCE_MS = 15_000;
const BETWEEN_LOOKS_MS = 30;

/** All tabs agree with the server, and so with each other. */
export async function expectBadgesAgree(stage: Stage, pages: readonly Page[]): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const wanted = await Promise.all(pages.map((page) => wantedIn(stage, page)));
    const shown = await Promise.all(pages.map((page) => page.evaluate(shownBadges)));
    const isEqual = JSON.stringify(shown) === JSON.stringify(wanted);
    if (isEqual || Date.now() > giveUpAt) return expect(shown).toEqual(wanted);
    await pause(BETWEEN_LOOKS_MS);
  }
}

async function wantedIn({ call }: Stage, page: Page): Promise<string[]> {
  const sessions = await call<{ items: SessionRow[] }>("GET", "/api/sessions?limit=200");
  const asks = await call<{ items: Ask[] }>("GET", "/api/asks?open=true&limit=200");
  const current = /\/sessions\/([^/#]+)/.exec(page.url())?.[1];
  const failed = sessions.items.filter(({ attention }) => attention?.kind === "failed");
  return [
    `asks in the tab's name: ${asks.items.length}`,
    `in the Inbox: ${asks.items.length} asks, ${failed.length} failed`,
    ...sessions.items
      .filter(({ id, head }) => id === head)
      .toSorted((a, b) => Number(isAtWork(b)) - Number(isAtWork(a))) // what is at work has a heading of its own
      .map((row) => {
        const unread = row.id === current ? 0 : row.unread;
        return `${row.title}: ${markOf(row, unread)}, ${unread} unread`;
      }),
  ];
}

function isAtWork({ status }: SessionRow): boolean {
  return status !== "idle" && status !== "ended";
}

function markOf({ attention, status }: SessionRow, unread: number): string {
  if (attention) return attention.kind;
  if (status === "running" || status === "waiting") return "running";
  if (status === "recovering" || status === "queued") return status;
  return unread > 0 ? "unread" : "none";
}

/** Runs in the page, so it stands on its own. */
function shownBadges(): string[] {
  const rows = document.querySelectorAll<HTMLElement>("li[data-session]:not(li li)"); // without delegates
  const text = (row: HTMLElement, name: string) => row.querySelector(name)?.textContent?.trim() ?? "";
  const inbox = document.querySelector('a[href="/inbox"]')?.textContent ?? "";
  return [
    `asks in the tab's name: ${/^\((\d+)\)/.exec(document.title)?.[1] ?? 0}`,
    `in the Inbox: ${/(\d+) needs? you/.exec(inbox)?.[1] ?? 0} asks, ${/(\d+) failed/.exec(inbox)?.[1] ?? 0} failed`,
    ...Array.from(rows, (row) => {
      const mark = [...(row.querySelector(".mark")?.classList ?? [])].find((name) => name !== "mark");
      return `${text(row, ".title")}: ${mark}, ${Number.parseInt(text(row, ".count") || "0")} unread`;
    }),
  ];
}
