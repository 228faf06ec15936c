// Which agents the pictures say there are, and how their processes are doing.
import type { ScriptedAgents } from "../test/serve-with-script.ts";

const profile = {
  driver: "builtin",
  demo: false,
  origin: "config.toml",
  workspace: "~/code",
  tools: ["shell", "process", "read", "write", "edit", "search", "ask", "delegate"],
  contextTokens: 200_000,
  approvals: "ask",
  sandboxed: true,
  sandbox: "bubblewrap 0.11",
  unusable: null,
} as const;

export function picturedAgents(): ScriptedAgents {
  return {
    profiles: [
      { ...profile, name: "default", model: "anthropic/claude-sonnet", tools: [...profile.tools], mcp: [] },
      {
        ...profile,
        name: "local",
        model: "ollama/qwen3",
        contextTokens: 32_000,
        tools: [...profile.tools],
        mcp: [],
      },
    ],
    processes: {
      prc_preview: {
        class: "service",
        why: "listens on 5173 and has used 0.4 % of a core over the last minute",
        cpu: 0.004,
        pid: 41_207,
        ports: [5173],
        memoryBytes: 96_400_000,
        output: "VITE ready in 412 ms\n\n  Local:   http://localhost:5173/\n",
      },
      prc_ledger: {
        class: "working",
        why: "has used 38 % of a core over the last minute",
        cpu: 0.38,
        pid: 41_733,
        ports: [],
        memoryBytes: 214_000_000,
        output: "2026-11-09  agrees\n2026-11-10  1 refund more, looking for it\n",
      },
    },
  };
}
