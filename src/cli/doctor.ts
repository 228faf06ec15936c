import { Command } from "commander";
import { access, constants, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ProblemError, Unreachable } from "../client/errors.ts";
import { answer, type Cli } from "./cli.ts";
import type { AgentsReport } from "./deps.ts";
import { storeFindings, type StoreFindings } from "./doctor-store.ts";
import { Failure } from "./exit.ts";
import { printTable } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { visibleLine } from "./visible.ts";
import { bytes, count } from "./words.ts";

export function doctorCommand(cli: Cli): Command {
  return new Command("doctor")
    .description("Say what is in force and where it came from, and check that all is well")
    .option("--export <directory>", "write what can still be read of each damaged log there, as JSON lines")
    .addHelpText(
      "after",
      `
Every event is read and compared with its checksum: in the store itself if no server holds it, else through the server.
Ends with 1 when something is wrong.

Example:
  holdfast doctor --export rescued`,
    )
    .action(async ({ export: exportTo }: { export?: string }, command: Command) => {
      const read = cli.deps.settings();
      if (!read.ok) throw new Failure("usage", read.faults);
      const { settings } = read;
      const report: Report = {
        version: cli.deps.version,
        node: process.version,
        platform: `${process.platform}-${process.arch}`,
        settings: settings.listed,
        home: await homeFindings(settings.home),
        server: await serverFindings(cli),
        agents: await cli.deps.agents(),
        store: await storeFindings(cli, exportTo === undefined ? undefined : resolve(exportTo)),
      };
      answer(cli, command, { ...report, wrong: wrongIn(report) }, () => print(cli, report));
      const wrong = wrongIn(report);
      if (wrong.length > 0) throw new Failure("failed", wrong.join("; "), { wrong });
    });
}

type Report = {
  version: string;
  node: string;
  platform: string;
  settings: { name: string; value: string; origin: string }[];
  home: HomeFindings;
  server: ServerFindings;
  agents: AgentsReport;
  store: StoreFindings;
};

type HomeFindings = { path: string; state: "writable" | "not usable" | "not made yet"; freeBytes: number };

type ServerFindings = { url: string; urlOrigin: string; tokenOrigin: string } & (
  | { state: "running"; person: string; version: string; store: string }
  | { state: "not running" }
  | { state: "refuses"; detail: string }
);

/** At the end, in one line; each is on a line of its own before. */
const PROBLEMS_TOLD = 3;
const FREE_BYTES_LOW = 500 * 1000 * 1000;

async function homeFindings(path: string): Promise<HomeFindings> {
  // With the slash it must be a directory.
  const state = await access(`${path}/`, constants.W_OK).then(
    () => "writable" as const,
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? "not made yet" : "not usable"),
  );
  const { bavail, bsize } = await statfs(state === "writable" ? path : await nearestExisting(path));
  return { path, state, freeBytes: bavail * bsize };
}

async function nearestExisting(path: string): Promise<string> {
  const above = dirname(path);
  if (above === path) return path;
  return access(above).then(
    () => above,
    () => nearestExisting(above),
  );
}

async function serverFindings({ hastyClient, address }: Cli): Promise<ServerFindings> {
  const { url, urlOrigin, tokenOrigin } = address;
  const where = { url, urlOrigin, tokenOrigin };
  try {
    const [{ person }, { version, store }] = await Promise.all([hastyClient.me(), hastyClient.overview()]);
    return { ...where, state: "running", person, version, store };
  } catch (error) {
    if (error instanceof Unreachable) return { ...where, state: "not running" };
    if (error instanceof ProblemError) return { ...where, state: "refuses", detail: error.problem.detail };
    throw error;
  }
}

function wrongIn({ version, home, server, agents, store }: Report): string[] {
  const wrong = agents.mcp.flatMap(({ name, fault }) =>
    fault === null ? [] : [`the MCP server ${name} does not start: ${fault}`],
  );
  const isHomeNamed = store.state === "unusable" && store.detail.includes(home.path);
  if (home.state === "not usable" && !isHomeNamed) wrong.push(`${home.path} can't be written to`);
  if (home.state === "writable" && home.freeBytes < FREE_BYTES_LOW)
    wrong.push(`only ${bytes(home.freeBytes)} are free for ${home.path}`);
  if (server.state === "refuses") wrong.push(`the server at ${server.url} refuses: ${server.detail}`);
  if (server.state === "running" && server.version !== version)
    wrong.push(`the server is holdfast ${server.version}, this command ${version}`);
  if (store.state === "unusable") wrong.push(store.detail);
  if (store.state === "checked") {
    const logs = new Set(store.damaged.map(({ log }) => log));
    if (logs.size > 0) wrong.push(`${count(logs.size, "log")} damaged: ${[...logs].join(", ")}`);
    wrong.push(...store.problems.slice(0, PROBLEMS_TOLD));
    const more = store.problems.length - PROBLEMS_TOLD;
    if (more > 0) wrong.push(`${count(more, "problem")} more, named above`);
  }
  return wrong;
}

function print({ terminal }: Cli, report: Report): void {
  const { home, server, store, agents } = report;
  const section = (title: string, text: string) =>
    terminal.line(`${terminal.paint("bold", title.padEnd(9))}${text}`);
  section("Holdfast", `${report.version} on Node ${report.node}, ${report.platform}`);
  section("Home", `${home.path}, ${home.state}, ${bytes(home.freeBytes)} free`);
  section(
    "Server",
    `${serverWords(server)} (address from ${server.urlOrigin}, token from ${server.tokenOrigin})`,
  );
  section("Sandbox", agents.sandbox);
  for (const notice of agents.notices) section("Config", terminal.paint("yellow", visibleLine(notice)));
  section("Store", storeWords(store));
  if (store.state === "checked") {
    for (const { log, position } of store.damaged)
      section("", terminal.paint("red", `${log} is damaged at ${position}`));
    for (const problem of store.problems) section("", terminal.paint("red", problem));
    for (const warning of store.warnings) section("", terminal.paint("yellow", warning));
    for (const { log, file, events } of store.exported)
      section(
        "",
        events === 0
          ? `nothing of ${log} can be read any more`
          : `the first ${count(events, "event")} of ${log} ${events === 1 ? "is" : "are"} in ${file}`,
      );
  }
  printAgents(terminal, agents);
  terminal.line();
  printTable(
    terminal,
    [
      { title: "SETTING", cell: ({ name }) => name },
      { title: "VALUE", cell: ({ value }) => value, flexible: true },
      { title: "FROM", cell: ({ origin }) => origin },
    ],
    report.settings,
  );
}

function printAgents(terminal: Terminal, { profiles, providers, mcp }: AgentsReport): void {
  terminal.line();
  printTable(
    terminal,
    [
      { title: "PROFILE", cell: ({ name }) => visibleLine(name) },
      { title: "MODEL", cell: ({ model }) => visibleLine(model ?? "its own") },
      { title: "APPROVALS", cell: ({ approvals }) => approvals },
      { title: "STATE", cell: ({ unusable }) => visibleLine(unusable ?? "ready"), flexible: true },
      { title: "FROM", cell: ({ origin }) => visibleLine(origin) },
    ],
    profiles,
  );
  terminal.line();
  printTable(
    terminal,
    [
      { title: "PROVIDER", cell: ({ name }) => visibleLine(name) },
      { title: "KIND", cell: ({ kind }) => kind },
      { title: "KEY", cell: ({ key }) => visibleLine(key), flexible: true },
    ],
    providers,
  );
  if (mcp.length === 0) return;
  terminal.line();
  printTable(
    terminal,
    [
      { title: "MCP SERVER", cell: ({ name }) => visibleLine(name) },
      {
        title: "STATE",
        cell: ({ tools, fault }) => visibleLine(fault ?? count(tools, "tool")),
        flexible: true,
      },
    ],
    mcp,
  );
}

function serverWords(server: ServerFindings): string {
  switch (server.state) {
    case "running":
      return `holdfast ${server.version} at ${server.url}, as ${server.person}`;
    case "not running":
      return `none at ${server.url}`;
    case "refuses":
      return `${server.url} refuses: ${server.detail}`;
  }
}

function storeWords(store: StoreFindings): string {
  switch (store.state) {
    case "checked": {
      const how =
        store.damaged.length + store.problems.length === 0 ? "all as they were written" : "not all is well";
      return `${store.store} (${store.dialect}), ${count(store.events, "event")} read through the ${store.through}, ${how}`;
    }
    case "absent":
      return "none yet; the first holdfast serve makes it";
    case "unusable":
      return store.detail;
  }
}
