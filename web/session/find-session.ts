import { SlashFault, type SlashDesk } from "./slash-desk.ts";
import { shownTitle } from "../title.ts";

/** By its id or how that begins, by its title or a part of it, or `latest`. */
export async function findSession(
  { client, list }: Pick<SlashDesk, "client" | "list">,
  name: string,
): Promise<{ id: string }> {
  const rows = list.rows();
  const wanted = name.toLowerCase();
  const exact =
    wanted === "latest"
      ? rows[0]
      : rows.find(({ id, title }) => id === name || title?.toLowerCase() === wanted);
  if (exact) return exact;
  const here = rows.filter(
    ({ id, title }) => id.startsWith(wanted) || (title?.toLowerCase().includes(wanted) ?? false),
  );
  const found = here.length > 0 ? here : (await client.sessions({ q: name, limit: 5 })).items;
  const [first] = found;
  if (!first) throw new SlashFault(`There is no session “${name}”.`);
  if (found.length === 1) return first;
  const titles = found.slice(0, 5).map(({ title }) => shownTitle(title));
  throw new SlashFault(`Several sessions fit: ${titles.join(", ")}. Say more of its title.`);
}
