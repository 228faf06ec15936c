// How long the page's main thread was held at a time, from a trace of Chromium.

type Traced = { name: string; ph: string; pid: number; tid: number; dur?: number; args?: { name?: string } };

const THREAD = "CrRendererMain";

export function longestTaskMs(trace: Buffer): number {
  const { traceEvents } = JSON.parse(String(trace)) as { traceEvents: Traced[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === THREAD)
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === "X" && TASKS.has(name) && mains.has(`${pid}/${tid}`),
  );
  if (tasks.length === 0) throw new Error("the trace has no tasks");
  return Math.max(...tasks.map(({ dur = 0 }) => dur / 1000));
}

/** As Chromium calls a turn of its event loop, with and without DevTools' names. */
const TASKS = new Set(["RunTask", "ThreadControllerImpl::RunTask", "ThreadPool_RunTask"]);
