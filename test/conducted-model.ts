// A model that says each word when a test tells it to. A test takes up the model's calls by the prompt that they answer:
// after a crash the same prompt is asked again, and the test takes up that call too.
import type { Conversation } from "./agent-server.ts";
import type { Mouth } from "./stub-wires/mouth.ts";

export type Conductor = {
  /** For the server whose model is conducted. */
  says: Conversation;
  /** The oldest call that answers this prompt, or one with this in it, and was not taken up yet; as soon as there is one. */
  asked(prompt: string | RegExp): Promise<Speaker>;
};

export type Speaker = {
  /** What came back from the calls that were made since the prompt. */
  readonly results: readonly string[];
  say(text: string): Speaker;
  think(text: string): Speaker;
  call(name: string, args: Record<string, unknown>): Speaker;
  end(): void;
  /** For good: trying again would not help. */
  fail(message: string): void;
  /** It was told more than it can take. */
  tooLong(): void;
  breakOff(): void;
};

type Waiting = { prompt: string | RegExp; take: (speaker: Speaker) => void };

const PATIENCE_MS = 30_000;

export function conductor(): Conductor {
  const calls: { prompt: string; speaker: Speaker }[] = [];
  const waiting: Waiting[] = [];

  const speak = (prompt: string, speaker: Speaker) => {
    const first = waiting.findIndex((each) => fits(prompt, each.prompt));
    if (first < 0) calls.push({ prompt, speaker });
    else waiting.splice(first, 1)[0]?.take(speaker);
  };
  return {
    says: ({ prompts, results }) => ({
      reply: "speech",
      speak: (mouth) => speak(prompts.at(-1) ?? "", speakerOf(mouth, results)),
    }),
    async asked(prompt) {
      const first = calls.findIndex((call) => fits(call.prompt, prompt));
      if (first >= 0) return calls.splice(first, 1)[0]!.speaker;
      const { promise, resolve, reject } = Promise.withResolvers<Speaker>();
      const timer = setTimeout(
        () => reject(new Error(`the model was not asked to answer ${prompt}`)),
        PATIENCE_MS,
      );
      waiting.push({ prompt, take: resolve });
      return promise.finally(() => clearTimeout(timer));
    },
  };
}

function fits(prompt: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? prompt === wanted : wanted.test(prompt);
}

function speakerOf(mouth: Mouth, results: readonly string[]): Speaker {
  const speaker: Speaker = {
    results,
    say(text) {
      mouth.say({ text });
      return speaker;
    },
    think(reasoning) {
      mouth.say({ reasoning });
      return speaker;
    },
    call(name, args) {
      mouth.say({ calls: [{ name, args }] });
      return speaker;
    },
    end: () => mouth.end(),
    fail: (message) => mouth.fail(401, message),
    tooLong: () => mouth.fail(413, "the context is too long"),
    breakOff: () => mouth.breakOff(),
  };
  return speaker;
}
