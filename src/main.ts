// The composition root: hands the command line what it can't reach itself. What a command does not need is not loaded.
import { Failure } from "./cli/exit.ts";
import { run } from "./cli/program.ts";
import { readSettings } from "./config/settings.ts";
import { VERSION } from "./config/version.ts";

run(process.argv.slice(2), {
  version: VERSION,
  async serve(flags) {
    const { CannotServe, serve } = await import("./serve.ts");
    try {
      await serve(flags);
    } catch (error) {
      throw error instanceof CannotServe ? new Failure("failed", error.message) : error;
    }
  },
  settings: () => readSettings(process.env),
  doctorStore: async (options) => (await import("./offline.ts")).doctorStore(options),
  backupStore: async (file) => (await import("./offline.ts")).backupStore(file),
  restoreStore: async (file) => (await import("./offline.ts")).restoreStore(file),
}).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
