import type { TestProject } from "vitest/node";
import { unpackedChromium } from "./chromium-path.ts";

export async function setup(project: TestProject): Promise<void> {
  project.provide("chromiumPath", await unpackedChromium());
}
