// What a program's arguments or an address say, for people to read, without what may be a token in them. Nobody told us
// which part that is, so what looks like one is left out too: whoever compares must compare the whole.
import { saysSecret } from "./says-secret.ts";

const LEFT_OUT = "[secret]";
/** Beside the names of variables: those of options, parameters and headers. */
const LETS_IN = /(auth|authorization|cookie|bearer|basic|jwt|signature|sig)$/i;
/** No word of a language is so long and has digits in it. */
const TOKEN_LIKE = /^(?=.*\d)(?=.*[a-z])[\w~+=-]{20,}$/i;
const JWT = /^eyJ[\w-]+\.[\w-]+/;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

export function shownCommand(words: readonly string[]): string {
  return words.map((word, at) => asWord(shownWord(word, words[at - 1] ?? ""))).join(" ");
}

export function shownAddress(address: string): string {
  const [, scheme = "", user, host = "", path = "", query, rest] =
    /^([^:]*:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(URL.parse(address)?.href ?? "") ?? [];
  if (scheme === "") return LEFT_OUT; // no address, though it began like one
  const segments = path.split("/").map((segment) => (isTokenLike(segment) ? LEFT_OUT : segment));
  const pairs = query?.slice(1).split("&").map(shownPair).join("&");
  return [
    scheme,
    user === undefined ? "" : `${LEFT_OUT}@`,
    host,
    segments.join("/"),
    pairs === undefined ? "" : `?${pairs}`,
    rest === undefined ? "" : `#${LEFT_OUT}`,
  ].join("");
}

/** `before` is what an option's value stands behind: `--token x`. */
function shownWord(word: string, before: string): string {
  if (/^--?[^=]+$/.test(before) && isSecretName(before) && !word.startsWith("-")) return LEFT_OUT;
  if (ADDRESS.test(word)) return shownAddress(word);
  const [, name, between = "", value = ""] = /^(["']?[\w.-]+)(=|:\s*)(.*)$/s.exec(word) ?? [];
  if (name !== undefined) return `${name}${between}${isSecretName(name) ? LEFT_OUT : shownWord(value, "")}`;
  if (/\s/.test(word)) return shownScript(word);
  return isTokenLike(word) ? LEFT_OUT : word;
}

/** Words within one, as a shell is given them. What follows a secret name is left out there, whatever stands between. */
function shownScript(script: string): string {
  let before = "";
  return script
    .split(/(\s+)/)
    .map((word) => {
      if (word.trim() === "") return word;
      const name = before.replaceAll(/["':=]/g, "");
      before = word;
      return isSecretName(name) && !word.startsWith("-") ? LEFT_OUT : shownWord(word, "");
    })
    .join("");
}

function shownPair(pair: string): string {
  const [name = "", ...value] = pair.split("=");
  if (value.length === 0) return isTokenLike(name) ? LEFT_OUT : name;
  const text = value.join("=");
  return `${name}=${isSecretName(name) || isTokenLike(text) ? LEFT_OUT : text}`;
}

function isSecretName(name: string): boolean {
  return saysSecret(name) || LETS_IN.test(name);
}

function isTokenLike(text: string): boolean {
  return TOKEN_LIKE.test(text) || JWT.test(text);
}

/** Told apart from its neighbours. */
function asWord(word: string): string {
  return word === "" || /[\s"']/.test(word) ? JSON.stringify(word) : word;
}
