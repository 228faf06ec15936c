// The command line: `holdfast <noun> <verb>`.
import { Command, CommanderError } from "commander";
import { asksCommand } from "./asks.ts";
import { attachCommand } from "./attach.ts";
import { auditCommand } from "./audit.ts";
import { backupCommand } from "./backup.ts";
import { chatCommand } from "./chat/chat.ts";
import { makeCli, type Cli } from "./cli.ts";
import type { Deps } from "./deps.ts";
import { doctorCommand } from "./doctor.ts";
import { endingOf, EXIT, type ExitCode } from "./exit.ts";
import { loginCommand } from "./login.ts";
import { loginsCommand } from "./logins.ts";
import { logsCommand } from "./logs.ts";
import { profilesCommand } from "./profiles.ts";
import { psCommand } from "./ps.ts";
import { queueCommand } from "./queue.ts";
import { restoreCommand } from "./restore.ts";
import { rulesCommand } from "./rules.ts";
import { sendCommand } from "./send.ts";
import { serveCommand } from "./serve.ts";
import { sessionsCommand } from "./sessions/sessions.ts";
import { statusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { makeTerminal, type Terminal } from "./terminal.ts";
import { tokenCommand } from "./token.ts";
import { usageCommand } from "./usage.ts";

/** Runs one command line, and ends the process with its exit code once all that it wrote is out. */
export async function run(argv: readonly string[], deps: Deps, host: Host = thisProcess): Promise<ExitCode> {
  const terminal = makeTerminal(host.stdout, host.stderr, host.env);
  // Whoever reads us may have seen enough, as `head` has: no reason to complain.
  host.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    host.exit(EXIT.ok);
  });
  const code = await runCommand(argv, makeCli(deps, terminal, host));
  for (const stream of [host.stdout, host.stderr]) await new Promise((resolve) => stream.write("", resolve));
  // A server that hangs must not hold us by not answering a socket's goodbye.
  host.exit(code);
  return code;
}

async function runCommand(argv: readonly string[], cli: Cli): Promise<ExitCode> {
  try {
    await program(cli).parseAsync(argv, { from: "user" });
    return EXIT.ok;
  } catch (error) {
    return explain(error, cli.terminal, argv.includes("--json"));
  }
}

/** As much of a process as the command line uses. */
export type Host = Pick<NodeJS.Process, "stdout" | "stderr" | "stdin" | "env"> & {
  now: () => number;
  onInterrupt: (run: () => void) => () => void;
  exit: (code: ExitCode) => void;
};

const thisProcess: Host = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  now: Date.now,
  onInterrupt(run) {
    process.on("SIGINT", run);
    return () => process.off("SIGINT", run);
  },
  exit: (code) => process.exit(code),
};

export function program(cli: Cli): Command {
  const { terminal, deps } = cli;
  const root = new Command("holdfast")
    .description("Sessions with AI agents that keep working when you leave")
    .version(deps.version, "-V, --version", "print the version")
    .option("--json", "print JSON; errors as problem documents on stderr")
    .helpOption("-h, --help", "explain a command")
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: () => {}, // told by `explain`, like every other error
      getOutHelpWidth: () => Math.min(terminal.width, HELP_WIDTH),
      getErrHelpWidth: () => HELP_WIDTH,
    })
    .addHelpText("after", HELP);
  const commands = [
    serveCommand(cli),
    chatCommand(cli),
    statusCommand(cli),
    sendCommand(cli),
    attachCommand(cli),
    stopCommand(cli),
    queueCommand(cli),
    asksCommand(cli),
    rulesCommand(cli),
    psCommand(cli),
    logsCommand(cli),
    sessionsCommand(cli),
    profilesCommand(cli),
    loginCommand(cli),
    loginsCommand(cli),
    tokenCommand(cli),
    auditCommand(cli),
    usageCommand(cli),
    doctorCommand(cli),
    backupCommand(cli),
    restoreCommand(cli),
  ];
  for (const command of commands) root.addCommand(command);
  inherit(root);
  return root;
}

const HELP_WIDTH = 110;
const HELP = `
A session is named by its id, a unique beginning of it, its title, or latest.

Examples:
  holdfast serve
  holdfast chat
  holdfast send new "Why is the build red?" --title "Red build"
  holdfast attach latest

Environment:
  HOLDFAST_HOME   where everything is kept (~/.holdfast)
  HOLDFAST_URL    the server to talk to, if not the one of this home
  HOLDFAST_TOKEN  a token for it, if not the one in HOLDFAST_HOME/cli-token
  NO_COLOR        no colours

Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 conflict, 5 not reachable`;

/** Commands that were made apart do not get their parent's settings by themselves. */
function inherit(command: Command): void {
  for (const child of command.commands) inherit(child.copyInheritedSettings(command));
}

function explain(error: unknown, terminal: Terminal, json: boolean): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok; // --help, --version
  if (error instanceof CommanderError && error.code === "commander.help") return EXIT.usage; // has shown the help
  const ending = endingOf(error);
  if (!ending) throw error;
  if (json) terminal.note(JSON.stringify(ending.problem));
  else terminal.note(`holdfast: ${ending.line}`, "red");
  return ending.code;
}
