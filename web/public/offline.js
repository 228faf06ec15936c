// Looks for the server for as long as someone looks at this page, and gives way to it at the same address.
const EVERY_MS = 3000;
const state = document.getElementById("state");

document.getElementById("again").addEventListener("click", () => void look("Still not reachable."));
addEventListener("online", () => void look());
document.addEventListener("visibilitychange", () => void look());
setInterval(() => void look(), EVERY_MS);

async function look(otherwise) {
  if (document.hidden) return;
  try {
    await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(EVERY_MS) });
    location.reload();
  } catch {
    if (otherwise) state.textContent = otherwise; // no answer, which is what this page is about
  }
}
