// What the command line cannot reach through the client: it is handed in by src/main.ts, the composition root.

export type Deps = {
  version: string;
  /** Runs the server; resolves when it has ended. Flags win over environment and config. `json`: how it greets. */
  serve(flags: ServeFlags, options: { json: boolean }): Promise<void>;
  /** Every value in force, with where it came from. */
  settings(): ReadSettings;
  /** What there is on this machine for agents to work with. */
  agents(): Promise<AgentsReport>;
  /** Opens the store if it is free, reads everything, names what is damaged; nothing is made or mended. */
  doctorStore(options: { exportTo?: string }): Promise<StoreReport>;
  /** Writes a copy of a store that no server holds. */
  backupStore(file: string): Promise<{ ok: true; bytes: number } | StoreRefusal>;
  /** Puts a copy in place of the store; `kept` is where the one that was there lies now. */
  restoreStore(file: string): Promise<Restored | StoreRefusal>;
  /** Gives a store that came back in another way a new id; `running` is how many processes it says to run. */
  renewStore(): Promise<{ ok: true; was: string; is: string; running: number } | StoreRefusal>;
};

export type Restored = {
  ok: true;
  store: string;
  kept: string | null;
  tokens: Granted;
  /** What was allowed for good. */
  rules: Granted;
};

/** `revoked`: left out, since the store that was there did not have them; null when that could not be told. */
export type Granted = { revoked: number | null; valid: number };

export type AgentsReport = {
  /** What the configuration asks for and does not get. */
  notices: readonly string[];
  sandbox: string;
  /** `key` says where it is or which is missing, never what it is. */
  providers: { name: string; kind: string; key: string }[];
  /** Each was started and ended again for it. */
  mcp: { name: string; tools: number; fault: string | null }[];
  profiles: {
    name: string;
    model: string | null;
    origin: string;
    approvals: string;
    unusable: string | null;
  }[];
};

export type ServeFlags = { port?: number; host?: string; behindProxy?: string };

export type ReadSettings =
  | { ok: true; settings: { home: string; host: string; port: number; listed: Setting[] } }
  | { ok: false; faults: string };

export type Setting = { name: string; value: string; origin: string };

/**
 * `in_use`: a server holds the store; `not_found`: there is none, or no such file; `unusable`: it is there but can't be
 * used, as `detail` says.
 */
export type StoreRefusal = { ok: false; code: "in_use" | "not_found" | "unusable"; detail: string };

export type StoreReport =
  | {
      ok: true;
      store: string;
      dialect: "sqlite" | "postgres";
      events: number;
      damaged: { log: string; position: string }[];
      problems: string[];
      /** What is not wrong yet, and may cost something one day. */
      warnings: string[];
      /** The longest good prefix of each damaged log, as JSON lines. */
      exported: { log: string; file: string; events: number }[];
    }
  | StoreRefusal;
