/** Saves something that is already here under a name. */
export function saveAs(name: string, contents: Blob): void {
  const url = URL.createObjectURL(contents);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the browser begins to read it after this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
