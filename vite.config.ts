import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

export default defineConfig({
  root: "web",
  // Without inlineStyles: false a static style attribute lands in the template, which the page's CSP reports. The plugin's types lack it.
  plugins: [solid({ solid: { inlineStyles: false } as object })],
  // Modules, so that the worker loads a grammar when it needs it.
  worker: { format: "es" },
  build: {
    outDir: "../web-dist",
    emptyOutDir: true,
    target: "es2023",
    // The CSP has no inline script: a polyfill or an inlined asset would be refused.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
