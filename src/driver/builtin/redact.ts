// Providers repeat a wrong key in their answers, and answers go into the log for good.

/** Short ones are no secrets, and would turn a text to stars. */
const SECRET_MIN_CHARS = 6;

export function redact(text: string, secret: string | undefined): string {
  let clean = text.replaceAll(/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, "$1 ***");
  if (secret === undefined || secret.length < SECRET_MIN_CHARS) return clean;
  for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]))
    clean = clean.replaceAll(form, "***");
  return clean;
}
