// Counts the requests that the server turned away for now, whoever made them.
import { createSignal } from "solid-js";
import { fetchWithProgress } from "../state/upload-progress.ts";

const [turnedAway, setTurnedAway] = createSignal(0);
export { turnedAway };

export const watchedFetch: typeof fetch = async (input, init) => {
  const response = await fetchWithProgress(input, init);
  if (response.status === 503) setTurnedAway((n) => n + 1);
  return response;
};
