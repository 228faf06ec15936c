// One real server with a conducted model, and a network between it and every page that can be cut: what every file of the
// matrix plays on.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, vi } from "vitest";
import { startAgentServer, type AgentServer } from "../../agent-server.ts";
import { conductor, type Conductor } from "../../conducted-model.ts";
import { freePort } from "../../server-process.ts";
import { startProxy, type Proxy } from "../../tcp-proxy.ts";
import { useVisit, type Visit } from "../visit.ts";

export type Stage = Visit<AgentServer> & {
  readonly model: Conductor;
  /** Between every page and the server. */
  readonly network: Proxy;
  /** A session of this title, with a prompt of its own: the model's calls are told apart by it. */
  begin(title: string, profile?: "default" | "careful"): Promise<Begun>;
};

export type Begun = { session: string; title: string; prompt: string };

export function useStage(): Stage {
  const model = conductor();
  let network: Proxy;
  let prompts = 0;
  const visit = useVisit(
    async (atEnd) => {
      const workspace = await mkdtemp(join(tmpdir(), "holdfast-work-"));
      const port = await freePort();
      const config = `[server]\nhosts = ["127.0.0.1:${port}"]`;
      const server = await startAgentServer(
        { dialect: "sqlite", says: model.says, workspace, profile: profilesIn(workspace), config },
        atEnd,
      );
      network = await startProxy(server.url, port);
      atEnd(() => network.close());
      // Its agents are loaded after it listens.
      await vi.waitUntil(async () => (await server.fetch("/api/profiles")).ok, { timeout: 20_000 });
      return server;
    },
    { address: () => network.url },
  );
  afterEach(() => network.heal());

  const own = {
    model,
    get network() {
      return network;
    },
    async begin(title: string, profile = "default") {
      const prompt = `Prompt ${++prompts}`;
      const input = { kind: "prompt", text: prompt };
      const { id } = await visit.call<{ id: string }>("POST", "/api/sessions", { title, profile, input });
      return { session: id, title, prompt };
    },
  };
  // A spread would read what is there only while tests run.
  return Object.create(visit, Object.getOwnPropertyDescriptors(own)) as Stage;
}

/** `default` runs everything; `careful` asks first, since nothing keeps its commands in. */
function profilesIn(workspace: string): string {
  return `approvals = "auto"
[profiles.careful]
model = "stub/one"
workspace = "${workspace}"
approvals = "ask"
sandbox = "none"
`;
}
