import { expect, test } from "vitest";
import { describeFaults, parseConfig } from "./read-config.ts";

test("an empty file is a whole configuration", () => {
  const read = parseConfig("");
  if (!read.ok) throw new Error(describeFaults("config.toml", read.faults));
  expect(read.config.server).toEqual({ host: "127.0.0.1", port: 4180, hosts: [], logLevel: "info" });
  expect(read.config.executor.maxTurns).toBe(32);
  expect(read.config.reset.mode).toBe("none");
  expect(read.lineOf(["executor", "maxTurns"])).toBeUndefined();
});

test("the file that the protocol shows is accepted as it stands", () => {
  const read = parseConfig(PROTOCOL_EXAMPLE);
  if (!read.ok) throw new Error(describeFaults("config.toml", read.faults));
  expect(read.config.profiles["default"]?.contextTokens).toBe(128_000);
  expect(read.config.prices["local/qwen3"]).toEqual({ input: 0, output: 0 });
  expect(read.lineOf(["profiles", "opencode", "command"])).toBe(22);
});

test("a fraction of a minute is a time", () => {
  const read = parseConfig("[reset]\nidleMinutes = 0.5\n");
  expect(read.ok && read.config.reset.idleMinutes).toBe(0.5);
});

test.each([
  [
    "[executor]\nmaxTurns = 1\nmaxTurn = 2\n",
    3,
    'executor.maxTurn: there is no such key; did you mean "maxTurns"?',
  ],
  ["[servr]\nport = 1\n", 1, 'servr: there is no such key; did you mean "server"?'],
  ["[executor]\nzzz = 2\n", 2, "executor.zzz: there is no such key; known here: maxTurns, maxSteps"],
  ['\n[executor]\n\nmaxTurns = "many"\n', 4, "executor.maxTurns: expected number, received string"],
  ['[profiles.a]\ndriver = "builtin"\n[profiles.b]\ndriver = "magic"\n', 4, "profiles.b.driver: "],
  [
    '[profiles.a]\ndriver = "acp"\nmodle = "x"\n',
    3,
    'profiles.a.modle: there is no such key; did you mean "model"?',
  ],
  ['[lanes."web:inbox".reset]\nmode = "never"\n', 2, "lanes.web:inbox.reset.mode: "],
  ['[[webhooks]]\nurl = "https://a.example"\n[[webhooks]]\nurl = 5\n', 4, "webhooks.1.url: "],
  ['[prices]\n"a/b" = { input = 0, output = "x" }\n', 2, "prices.a/b.output: "],
  ['[reset]\ntimeZone = "Mars/Olympus"\n', 2, "reset.timeZone: must be a time zone"],
  ['[profiles.p]\ninstructions = """\nmaxTurns = 4\n"""\nsandbox = 1\n', 5, "profiles.p.sandbox: "],
  [
    '[providers.x]\nkind = "openai"\napiKeyEnv = "sk-123 45"\n',
    3,
    "providers.x.apiKeyEnv: must be the name of",
  ],
  ['[mcp.a]\npassEnv = ["A"]\n', 1, "mcp.a: must have either a command or a url"],
  ['[mcp.a]\ncommand = ["a"]\ntokenEnv = "A"\n', 1, "mcp.a: a command gets its token by passEnv"],
  ['[mcp."a b"]\ncommand = ["a"]\n', 1, "mcp.a b: must be a name of letters, digits and hyphens"],
  [
    '[mcp.a]\ncommand = ["a"]\n[profiles.p]\nmcp = ["a", "b"]\n',
    4,
    "profiles.p.mcp.1: there is no [mcp.b]; there are: a",
  ],
])("the mistake in %j is named with its line", (text, line, message) => {
  const read = parseConfig(text);
  const described = read.ok ? "no mistake" : describeFaults("config.toml", read.faults);
  expect(described).toContain(`config.toml:${line}: ${message}`);
});

test("every mistake is named, not only the first, in the order of the file", () => {
  const read = parseConfig('[executor]\nmaxTurns = -1\n[board]\nresume = "never"\nx = 1\n');
  expect(read.ok ? [] : read.faults.map(({ line }) => line)).toEqual([2, 4, 5]);
});

test("a syntax error is named with its line", () => {
  const read = parseConfig("[executor]\nmaxTurns = = 3\n");
  expect(read.ok ? undefined : read.faults[0]?.line).toBe(2);
});

const PROTOCOL_EXAMPLE = `[providers.local]
kind = "openai-compatible"            # or "openai", "anthropic", "google", "demo"
baseUrl = "http://127.0.0.1:11434/v1"
apiKeyEnv = "LOCAL_KEY"               # the variable's name, never the key

[profiles.default]
driver = "builtin"
model = "local/qwen3"
instructions = "…"
workspace = "~/work"
tools = ["shell", "process", "read", "write", "edit", "search", "ask", "delegate", "task"]
approvals = "ask"                     # "ask" | "auto" | "deny"; and [[profiles.default.rules]] tool, match, decision
sandbox = "auto"                      # "bubblewrap" | "none"
sandboxNetwork = true
passEnv = ["SSH_AUTH_SOCK"]
contextTokens = 128000

[[profiles.default.rules]]
tool = "shell"
decision = "ask"
[profiles.opencode]
command = ["opencode", "acp"]
driver = "acp"

[mcp.github]                          # MCP servers whose tools a profile may use
command = ["…"]

[reset]                               # for lanes; [lanes."web:inbox".reset] overrides
mode = "both"                         # default "none"
idleMinutes = 120
atHour = 6
timeZone = "Europe/Berlin"
holdMaxAgeMinutes = 120
quietMinutes = 30
staleProcesses = "warn"               # or "stop"

[compaction]
at = 0.75                             # share of contextTokens
summaryTimeoutSeconds = 120
onFailure = "keep"                    # or "fallback"

[executor]
maxTurns = 32
maxSteps = 200
maxAgents = 4
agentIdleMinutes = 5
retryMinutes = 60
leaseSeconds = 15

[board]
maxRunning = 4
resume = "continue"                   # "fork" | "fresh"
maxFailures = 2
timeoutMinutes = 240
stallMinutes = 30

[retention]                           # finished runs and processes only
days = 90
maxBytes = "20GB"

[prices]                              # unknown models show tokens, never a made-up cost
"local/qwen3" = { input = 0, output = 0 }
`;
