// Copies a text. A page over plain http from another machine has no clipboard to write to, only the old command.

/** False when this browser lets no page copy: then the text has to be shown, to be copied by hand. */
export async function copyText(text: string): Promise<boolean> {
  if (isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (error) {
      if (!(error instanceof DOMException)) throw error; // not allowed: perhaps the old way is
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  const focused = document.activeElement;
  // Within an open dialog all else is inert, and what is inert can't be selected.
  (document.querySelector("dialog:modal") ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
