import { chromium, type Browser } from "playwright-core";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    chromiumPath: string;
  }
}

/** Our own arguments, never those of @sparticuz/chromium: they switch web security off, and tests of it would lie. */
const ARGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"];

/** Pages want `newPage({ locale: "en-US" })`: under LANG=C.UTF-8 this Chromium reports a language no library accepts. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: inject("chromiumPath"), args: ARGS });
}
