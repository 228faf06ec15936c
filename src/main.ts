// The composition root: chooses what runs and hands it what it can't reach itself. What is not needed is not loaded.
import { readSettings } from "./config/settings.ts";
import { VERSION } from "./config/version.ts";

const argv = process.argv.slice(2);
const ended = argv.length === 1 && argv[0] === "serve" ? servePlainly() : runCommand();
ended.then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);

/** As `npm start` does it: the one command that stays in memory does not carry all the others with it. */
async function servePlainly(): Promise<number> {
  const { CannotServe, serve } = await import("./serve.ts");
  try {
    await serve({});
    return 0;
  } catch (error) {
    if (!(error instanceof CannotServe)) throw error;
    console.error(`holdfast: ${error.message}`);
    return (await import("./cli/exit.ts")).EXIT[error.kind];
  }
}

async function runCommand(): Promise<number> {
  const [{ run }, { Failure }] = await Promise.all([import("./cli/program.ts"), import("./cli/exit.ts")]);
  return run(argv, {
    version: VERSION,
    async serve(flags, options) {
      const { CannotServe, serve } = await import("./serve.ts");
      try {
        await serve(flags, options);
      } catch (error) {
        throw error instanceof CannotServe ? new Failure(error.kind, error.message) : error;
      }
    },
    settings: () => readSettings(process.env),
    agents: async () => (await import("./offline.ts")).describeAgents(),
    doctorStore: async (options) => (await import("./offline.ts")).doctorStore(options),
    backupStore: async (file) => (await import("./offline.ts")).backupStore(file),
    restoreStore: async (file) => (await import("./offline.ts")).restoreStore(file),
    renewStore: async () => (await import("./offline.ts")).renewStore(),
  });
}
