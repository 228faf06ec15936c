import { Command } from "commander";
import { isJson, wholeNumber, type Cli } from "./cli.ts";
import type { ServeFlags } from "./deps.ts";

export function serveCommand(cli: Cli): Command {
  return new Command("serve")
    .description("Run the server")
    .option("--port <port>", "where to listen (HOLDFAST_PORT, else 4180)", wholeNumber("--port", 0, 65_535))
    .option("--host <host>", "on which address (HOLDFAST_HOST, else 127.0.0.1)")
    .option("--behind-proxy <origin>", "a proxy speaks TLS in front; browsers see this origin")
    .addHelpText(
      "after",
      `
It keeps everything in HOLDFAST_HOME (~/.holdfast), or in PostgreSQL when HOLDFAST_DATABASE_URL says so. The link that
logs your browser in is printed at the start; a fresh one comes from: holdfast login

Examples:
  holdfast serve
  holdfast serve --host 0.0.0.0 --behind-proxy https://holdfast.example`,
    )
    .action((flags: ServeFlags, command: Command) => cli.deps.serve(flags, { json: isJson(command) }));
}
