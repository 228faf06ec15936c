// Structured logs on stderr, a line of JSON each, written before we go on: a crash loses none. Secrets have no place in them.
import { NO_SECRETS, type Secrets } from "../secret/secrets.ts";
import { destination, pino, type Logger } from "pino";

const SECRETS = ["authorization", "cookie", "set-cookie", "token", "secret", "password"];

export function makeLog(
  level: string,
  stream: { write(line: string): void } = destination({ dest: 2, sync: true }),
  secrets: Secrets = NO_SECRETS,
): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRETS.flatMap((name) => [
          `["${name}"]`,
          `*["${name}"]`,
          `*.*["${name}"]`,
          `*.*.*["${name}"]`,
        ]),
        censor: "[redacted]",
      },
    },
    secrets.none ? stream : { write: (line: string) => stream.write(secrets.hide(line)) },
  );
}
