// Text on its way: what is below what we have is skipped, what is above it means that something is missing.
import type { Touched } from "./apply.ts";
import { ownerOf } from "./draft.ts";
import type { Draft, DraftData } from "./event.ts";
import { newToolPart, stepOf, toolOf } from "./parts.ts";
import { PREVIEW_CHARS, type Part, type StepMessage, type ToolPart, type View } from "./view.ts";

const SKIPPED: Touched = { outcome: "applied", messages: [], areas: [] };
const GAP: Touched = { outcome: "gap", messages: [], areas: [] };

export function applyDraft(view: View, { data }: Draft): Touched {
  const owner = ownerOf(data.part);
  if (data.kind === "output") {
    const tool = toolOf(view, owner);
    return tool && tool.part.state !== "finished" ? growTool(tool.part, tool.message.id, data) : SKIPPED;
  }
  const step = stepOf(view, owner);
  if (!step || step.state !== "streaming") return SKIPPED; // its fact is there, or it lies before the view
  const part = step.parts.find(({ id }) => id === data.part) ?? openPart(step, data);
  if (part.kind === "tool") return growTool(part, step.id, data);
  if (data.offset > part.text.length) return GAP;
  const fresh = data.text.slice(part.text.length - data.offset);
  if (fresh === "") return SKIPPED;
  part.text += fresh;
  return { outcome: "applied", messages: [step.id], part: part.id, areas: [] };
}

function openPart(step: StepMessage, { part, kind }: DraftData): Part {
  const opened: Part =
    kind === "text" || kind === "reasoning"
      ? { id: part, kind, text: "", blob: null, ms: null }
      : newToolPart(part);
  step.parts.push(opened);
  return opened;
}

/** Only the end is kept of what a tool streams: its fact brings the whole. */
function growTool(part: ToolPart, message: string, { offset, text, kind }: DraftData): Touched {
  if (kind === "output" && part.state !== "started") return SKIPPED;
  if (offset > part.draftChars) return GAP;
  const fresh = text.slice(part.draftChars - offset);
  if (fresh === "") return SKIPPED;
  part.draft = (part.draft + fresh).slice(-PREVIEW_CHARS);
  part.draftChars += fresh.length;
  return { outcome: "applied", messages: [message], part: part.id, areas: [] };
}
