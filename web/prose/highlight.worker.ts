// Colours code off the main thread. Grammars are loaded when the first code of their language comes; regular expressions
// are JavaScript's own, so that the page's policy needs no room for WebAssembly.
import { createCssVariablesTheme, createHighlighterCore, type LanguageInput } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import type { Colour, ColourAnswer, ColouredLine } from "./highlight.ts";
import type { Language } from "./languages.ts";

const GRAMMARS: Record<Language, LanguageInput> = {
  c: () => import("shiki/langs/c.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  graphql: () => import("shiki/langs/graphql.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  scss: () => import("shiki/langs/scss.mjs"),
  shellscript: () => import("shiki/langs/shellscript.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const THEME = "kinds";
const LINE_MAX_CHARS = 2000;

const highlighter = createHighlighterCore({
  themes: [createCssVariablesTheme({ name: THEME, variablePrefix: "--", fontStyle: false })],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
  langs: [],
});

self.addEventListener("message", ({ data }: MessageEvent<Colour>) => {
  void colour(data).then((lines) => self.postMessage({ id: data.id, lines } satisfies ColourAnswer));
});

async function colour({ code, language }: Colour): Promise<ColouredLine[] | null> {
  try {
    const ready = await highlighter;
    await ready.loadLanguage(GRAMMARS[language]);
    const options = { lang: language, theme: THEME, tokenizeMaxLineLength: LINE_MAX_CHARS };
    const lines = ready.codeToTokensBase(code, options);
    return lines.map((line) => line.map(({ content, color }) => [content, kindOf(color)]));
  } catch (error) {
    console.warn(`${language} could not be coloured`, error);
    return null; // it stays as readable as it was
  }
}

/** The theme's colours are names of variables; the name is all that we want. */
function kindOf(color = ""): string {
  return /--token-([\w-]+)/.exec(color)?.[1] ?? "";
}
