/** The row that a key leads to from the one that has the focus; undefined for a key that means nothing here. */
export function rowByKey(event: KeyboardEvent & { currentTarget: HTMLElement }): HTMLElement | undefined {
  const { key, target, currentTarget: list } = event;
  if (event.metaKey || event.ctrlKey || event.altKey) return undefined;
  if (!(target instanceof HTMLElement) || !target.matches("a.row, .row-menu")) return undefined;
  const rows = [...list.querySelectorAll<HTMLElement>("a.row")];
  const at = rows.findIndex((row) => row.parentElement?.contains(target));
  switch (key) {
    case "ArrowDown":
    case "j":
      return rows[at + 1];
    case "ArrowUp":
    case "k":
      return rows[at - 1];
    case "Home":
      return rows[0];
    case "End":
      return rows.at(-1);
    case "ArrowRight":
      return rows[at]?.parentElement?.querySelector<HTMLElement>(".row-menu") ?? undefined;
    case "ArrowLeft":
      return rows[at];
    default:
      return undefined;
  }
}
