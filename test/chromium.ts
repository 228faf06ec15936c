import { chromium, type Browser } from "playwright-core";
import { inject } from "vitest";
import { CHROMIUM_ARGS } from "./chromium-path.ts";

declare module "vitest" {
  interface ProvidedContext {
    chromiumPath: string;
  }
}

/** Pages want `newPage({ locale: "en-US" })`: under LANG=C.UTF-8 this Chromium reports a language no library accepts. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: inject("chromiumPath"), args: CHROMIUM_ARGS });
}
