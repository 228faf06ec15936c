// For tests: a server that starts one process, says so, and stays until it is killed; or kills itself on the way.
import { Spawner } from "./spawner.ts";
import { startProcess, type ProcessSpec } from "./start.ts";

const { spec, dies } = JSON.parse(process.argv[2] ?? "") as { spec: ProcessSpec; dies: string }; // from scene.ts
const spawner = new Spawner();

const started = await startProcess(spec, {
  spawn(request, ended) {
    if (dies === "before the spawn") process.kill(process.pid, "SIGKILL");
    const spawned = spawner.spawn(request, ended);
    if (dies === "while it spawns") setImmediate(() => process.kill(process.pid, "SIGKILL"));
    return spawned;
  },
});
if (dies === "once it runs") process.kill(process.pid, "SIGKILL");
process.send?.({ ...started, spawner: spawner.pid });
setInterval(() => {}, 60_000);
