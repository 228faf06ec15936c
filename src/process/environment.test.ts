import { expect, test } from "vitest";
import { childEnvironment } from "./environment.ts";

const SERVER = {
  PATH: "/bin",
  HOME: "/root",
  USER: "u",
  SHELL: "/bin/bash",
  LANG: "C",
  LC_ALL: "C",
  LC_TIME: "de",
  TERM: "xterm",
  TMPDIR: "/tmp",
  TZ: "UTC",
  ANTHROPIC_API_KEY: "secret",
  HOLDFAST_TOKEN: "the owner's",
  HOLDFAST_DATABASE_URL: "postgres://secret",
  NODE_OPTIONS: "--inspect",
  LD_PRELOAD: "evil.so",
  SSH_AUTH_SOCK: "/run/ssh",
};

test("a command gets what is on the list, what its profile passes and its own run's variables, and nothing else", () => {
  const own = { HOLDFAST_SESSION: "ses_1", HOLDFAST_TOKEN: "the run's" };
  expect(childEnvironment(SERVER, ["SSH_AUTH_SOCK"], own)).toEqual({
    PATH: "/bin",
    HOME: "/root",
    USER: "u",
    SHELL: "/bin/bash",
    LANG: "C",
    LC_ALL: "C",
    LC_TIME: "de",
    TERM: "xterm",
    TMPDIR: "/tmp",
    TZ: "UTC",
    SSH_AUTH_SOCK: "/run/ssh",
    ...own,
  });
});

test("the server's own HOLDFAST_ variables do not pass even when a profile names them", () => {
  expect(childEnvironment(SERVER, ["HOLDFAST_TOKEN", "HOLDFAST_DATABASE_URL"], {})).not.toHaveProperty(
    "HOLDFAST_TOKEN",
  );
  expect(Object.values(childEnvironment(SERVER, ["HOLDFAST_DATABASE_URL"], {}))).not.toContain(
    "postgres://secret",
  );
});

test("without a PATH there is one that finds the system's programs", () => {
  expect(childEnvironment({}, [], {})).toEqual({ PATH: "/usr/local/bin:/usr/bin:/bin" });
});
