/** What stands for a session that nobody has named. */
export function shownTitle(title: string | null | undefined): string {
  return title ?? "Untitled";
}
