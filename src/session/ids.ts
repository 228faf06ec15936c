// Ids are opaque, prefixed and sortable by time: `ses_` + 10 characters of milliseconds + 12 of chance, in
// Crockford's base 32 (lower case), so that a directory listing or a primary key is in order of creation.

export type IdPrefix =
  | "ses"
  | "tsk"
  | "run"
  | "prc"
  | "ask"
  | "rul"
  | "ded"
  | "req"
  | "inp"
  | "tok"
  | "lgn"
  | "fil"
  | "nod"
  | "sto";

export type Ids = { next(prefix: IdPrefix): string };

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;
const CHANCE_CHARS = 12;

/** Time and chance are passed in, so that a test can own both. */
export function makeIds(now: () => number, randomBytes: (count: number) => Uint8Array): Ids {
  return {
    next(prefix) {
      let time = "";
      let rest = now();
      for (let i = 0; i < TIME_CHARS; i++) {
        time = ALPHABET[rest % 32] + time;
        rest = Math.floor(rest / 32);
      }
      let chance = "";
      for (const byte of randomBytes(CHANCE_CHARS)) chance += ALPHABET[byte % 32];
      return `${prefix}_${time}${chance}`;
    },
  };
}
