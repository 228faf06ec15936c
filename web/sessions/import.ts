// An export in JSON lines, of this server or another, becomes a session here: chosen as a file, and opened once it is in.
import type { Client } from "../../src/client/commands.ts";
import { ProblemError } from "../../src/client/errors.ts";
import { IMPORT_MAX_BYTES } from "../../src/protocol/limits.ts";
import { sessionPath } from "../address.ts";
import { failureWords } from "../failure-words.ts";
import { navigate } from "../route.ts";
import { showToast } from "../toasts/show.ts";

/** One at a time is told of. */
const KEY = "import";
/** What is wrong with a line takes a while to read, and to look up. */
const FAILURE_LASTS_MS = 60_000;
/** Until the server has answered. */
const UNDER_WAY_MS = 24 * 3_600_000;

export function importSession(client: Client): void {
  const chooser = document.createElement("input");
  chooser.type = "file";
  chooser.accept = ".jsonl,.ndjson,application/x-ndjson";
  chooser.hidden = true;
  chooser.addEventListener("cancel", () => chooser.remove());
  chooser.addEventListener("change", () => {
    chooser.remove();
    const [file] = chooser.files ?? [];
    if (file) void bring(client, file);
  });
  document.body.append(chooser); // some browsers forget one that is nowhere
  chooser.click();
}

async function bring(client: Client, file: File, partial = false): Promise<void> {
  const tell = showToast({ key: KEY, text: `Importing ${file.name}…`, lastsMs: UNDER_WAY_MS });
  try {
    if (file.size > IMPORT_MAX_BYTES) return fail(file, "An import has at most 1 GB.");
    const { id } = await client.importSession(file, { partial });
    tell();
    navigate(sessionPath(id));
  } catch (error) {
    fail(file, failureWords(error), canTakePart(error) && (() => void bring(client, file, true)));
  }
}

function fail(file: File, why: string, takePart: false | (() => void) = false): void {
  showToast({
    key: KEY,
    text: `Not imported: ${file.name}`,
    detail: why,
    tone: "failed",
    lastsMs: FAILURE_LASTS_MS,
    ...(takePart && { action: { label: "Import what is there", run: takePart } }),
  });
}

function canTakePart(error: unknown): boolean {
  return error instanceof ProblemError && error.problem["partial"] === true;
}
