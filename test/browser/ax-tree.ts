// A page as a screen reader is given it, and what is wrong with that.
import type { Page } from "playwright-core";

type AxValue = { value?: unknown };
type AxNode = {
  nodeId: string;
  childIds?: string[];
  ignored: boolean;
  role?: AxValue;
  name?: AxValue;
  properties?: { name: string; value: AxValue }[];
};

/** What may have the focus without a name: what it holds is read instead. */
const NAMELESS = new Set(["RootWebArea", "main"]);
/** What is pressed, chosen or written in, whether it can be focused just now or not. */
const CONTROLS = new Set([
  "button",
  "checkbox",
  "combobox",
  "DisclosureTriangle",
  "link",
  "listbox",
  "menuitem",
  "option",
  "radio",
  "searchbox",
  "textbox",
]);

export async function axFaults(page: Page): Promise<string[]> {
  const nodes = await axNodes(page);
  return [
    ...namelessControls(nodes),
    ...headingFaults(nodes),
    ...landmarkFaults(nodes),
    ...(await repeatedIds(page)),
  ];
}

/** In the order in which they are read. */
async function axNodes(page: Page): Promise<AxNode[]> {
  const devtools = await page.context().newCDPSession(page);
  const { nodes } = await devtools.send("Accessibility.getFullAXTree");
  await devtools.detach();
  const byId = new Map<string, AxNode>(nodes.map((node) => [node.nodeId, node]));
  const within = (node: AxNode | undefined): AxNode[] =>
    node ? [node, ...(node.childIds ?? []).flatMap((id) => within(byId.get(id)))] : [];
  return within(nodes[0]).filter(({ ignored }) => !ignored);
}

function namelessControls(nodes: readonly AxNode[]): string[] {
  return nodes
    .filter((node) => nameOf(node) === "" && !NAMELESS.has(roleOf(node)))
    .filter((node) => CONTROLS.has(roleOf(node)) || property(node, "focusable") === true)
    .map((node) => `a ${roleOf(node)} has no name`);
}

function headingFaults(nodes: readonly AxNode[]): string[] {
  const headings = nodes.filter((node) => roleOf(node) === "heading");
  const levels = headings.map((node) => Number(property(node, "level")));
  const skipped = headings.flatMap((node, n) => {
    const [before = 0, level = 0] = [levels[n - 1], levels[n]];
    return level > before + 1 ? [`heading "${nameOf(node)}" is of level ${level} after ${before}`] : [];
  });
  // A dialog is a page of its own, and begins where its page left off.
  const isDialog = nodes.some((node) => roleOf(node) === "dialog");
  const first = levels.filter((level) => level === 1).length;
  if (isDialog) return [];
  return first === 1 ? skipped : [`${first} headings of level 1`, ...skipped];
}

function landmarkFaults(nodes: readonly AxNode[]): string[] {
  const names = nodes
    .filter((node) => ["navigation", "complementary", "region"].includes(roleOf(node)))
    .map((node) => `${roleOf(node)} "${nameOf(node)}"`);
  return names.filter((name, n) => names.indexOf(name) !== n).map((name) => `two landmarks are ${name}`);
}

async function repeatedIds(page: Page): Promise<string[]> {
  const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
  return ids.filter((id, n) => ids.indexOf(id) !== n).map((id) => `two elements have the id ${id}`);
}

function roleOf(node: AxNode): string {
  return textOf(node.role);
}

function nameOf(node: AxNode): string {
  return textOf(node.name);
}

function textOf(given: AxValue | undefined): string {
  return typeof given?.value === "string" ? given.value.trim() : "";
}

function property(node: AxNode, name: string): unknown {
  return node.properties?.find((each) => each.name === name)?.value.value;
}
