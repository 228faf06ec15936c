import { describe, expect, it } from "vitest";
import { openServer, until, type OpenServer } from "../../test/open-server.ts";
import type { Process, ProcessOutput } from "../protocol/http.ts";
import type { NewEvent } from "../session/event.ts";
import type { LiveProcesses } from "./process-rows.ts";

/** A machine that says what it is told to. */
class Machine implements LiveProcesses {
  readonly host = "test";
  readonly said = new Map<string, string>();
  class: "working" | "service" = "working";

  measured() {
    const ports = this.class === "service" ? [8080] : [];
    return { class: this.class, why: "because", cpu: 0.5, pid: 7, ports, memoryBytes: 1000 };
  }

  hasLeft() {
    return Promise.resolve(false);
  }

  output(process: string, from: number, limit: number) {
    const bytes = Buffer.from(this.said.get(process) ?? "");
    const part = bytes.subarray(from, from + limit);
    return Promise.resolve({ text: part.toString(), from, next: from + part.length, bytes: bytes.length });
  }
}

async function serve(): Promise<{ server: OpenServer; machine: Machine; session: string }> {
  const machine = new Machine();
  const agents = { profiles: [], modelFault: () => undefined, processes: machine };
  const server = await openServer({ agents: () => agents });
  const { id } = await server.newSession({ input: { kind: "prompt", text: "go" } });
  const claim = await server.store.claimSession(60_000); // which is what gives it its host
  await server.store.releaseLease(claim!.lease);
  return { server, machine, session: id };
}

const started = (process: string): NewEvent => ({
  type: "process_started",
  data: { process, command: "make", cwd: "/w", background: true },
});
const exited = (process: string): NewEvent => ({
  type: "process_exited",
  data: { process, exit: 2, cause: "exit" },
});
const append = ({ store }: OpenServer, session: string, ...events: NewEvent[]) =>
  store.append(session, events, { by: "client", author: { person: "owner" } });

describe("processes", () => {
  it("are listed with how they are doing, those that run unless asked otherwise", async () => {
    const { server, machine, session } = await serve();
    machine.said.set("prc_1", "all is well\n");
    await append(server, session, started("prc_1"), started("prc_2"), exited("prc_2"));
    const list = (query = "") => server.call<{ items: Process[] }>("GET", `/api/processes${query}`);
    expect((await list()).items).toMatchObject([
      {
        id: "prc_1",
        session,
        status: "running",
        class: "working",
        why: "because",
        pid: 7,
        cpu: 0.5,
        memory: 1000,
        holdsReset: true,
        outputTail: "all is well\n",
      },
    ]);
    expect((await list("?status=exited")).items).toMatchObject([{ id: "prc_2", exit: 2, holdsReset: false }]);
    expect((await list(`?all=true&session=${session}`)).items).toHaveLength(2);
    expect((await list("?session=ses_other")).items).toEqual([]);
    machine.class = "service";
    expect((await list("?class=service")).items).toMatchObject([{ ports: [8080], holdsReset: false }]);
    expect((await list("?class=stale")).items).toEqual([]);
    expect(await server.call("GET", `/api/sessions/${session}`)).toMatchObject({ processes: 1 });
  });

  it("are read from any byte, and say when that was all", async () => {
    const { server, machine, session } = await serve();
    machine.said.set("prc_1", "one two");
    await append(server, session, started("prc_1"));
    const read = (query: string) => server.call<ProcessOutput>("GET", `/api/processes/prc_1/output${query}`);
    expect(await read("?offset=4&limit=4")).toMatchObject({
      text: "two",
      from: 4,
      next: 7,
      bytes: 7,
      over: false,
    });
    await append(server, session, exited("prc_1"));
    expect(await read("?offset=0&limit=4")).toMatchObject({ text: "one ", over: false });
    expect(await read("?offset=4")).toMatchObject({ text: "two", over: true });
  });

  it("that are not there, elsewhere or over are refused each in its own way", async () => {
    const { server, machine, session } = await serve();
    await append(server, session, started("prc_1"), exited("prc_1"));
    const status = async (method: string, path: string, body?: unknown) =>
      (
        await server.fetch(path, {
          method,
          ...(body !== undefined && {
            body: JSON.stringify(body),
            headers: { "content-type": "application/json" },
          }),
        })
      ).status;
    expect(await status("GET", "/api/processes/prc_9")).toBe(404);
    expect(await status("POST", "/api/processes/prc_9/stop")).toBe(404);
    expect(await status("POST", "/api/processes/prc_1/stop", {})).toBe(409);
    expect(await status("POST", "/api/processes/prc_1/stop", { signal: "SIGKILL" })).toBe(422);
    expect(await status("POST", "/api/processes/prc_1/input", { text: "" })).toBe(422);
    (machine as { host: string }).host = "another";
    expect(await status("GET", "/api/processes/prc_1/output")).toBe(503);
  });

  it("keep their session from being deleted", async () => {
    const { server, session } = await serve();
    await append(server, session, { type: "queue_held", data: { reason: "x" } }, started("prc_1"));
    await expect(server.call("DELETE", `/api/sessions/${session}`)).rejects.toThrow("1 processes that run");
    await server.call("DELETE", `/api/sessions/${session}?force=true`, undefined, 204);
  });
});

describe("a socket", () => {
  it("watches which processes run: all, then those that come, and those that go", async () => {
    const { server, session } = await serve();
    await append(server, session, started("prc_1"));
    const socket = await server.socket();
    socket.send({ op: "watch", topic: "processes" });
    expect(await socket.next("rows")).toMatchObject({
      topic: "processes",
      whole: true,
      rows: [{ id: "prc_1" }],
    });
    await append(server, session, started("prc_2"));
    expect(await socket.next("rows")).toMatchObject({ whole: false, rows: [{ id: "prc_2" }] });
    await append(server, session, exited("prc_1"));
    expect(await socket.next("rows")).toMatchObject({ rows: [], gone: ["prc_1"] });
  });

  it("follows what a process says from any byte until it is over, and is told of one that is not there", async () => {
    const { server, machine, session } = await serve();
    machine.said.set("prc_1", "one ");
    await append(server, session, started("prc_1"));
    const socket = await server.socket();
    socket.send({ op: "attach", process: "prc_1", after: 2 });
    expect(await socket.next("output")).toMatchObject({ from: 2, next: 4, text: "e ", over: false });
    machine.said.set("prc_1", "one two");
    expect(await socket.next("output")).toMatchObject({ from: 4, text: "two", over: false });
    await append(server, session, exited("prc_1"));
    expect(await socket.next("output")).toMatchObject({ from: 7, text: "", over: true });
    socket.send({ op: "attach", process: "prc_9" });
    expect(await socket.next("error")).toMatchObject({ code: "not_found", process: "prc_9" });
  });

  it("that attaches to a process while the agents are being loaded is given what it says once they are", async () => {
    const machine = new Machine();
    machine.said.set("prc_1", "one ");
    let isLoaded = false;
    let looks = 0;
    const server = await openServer({
      agents: () => {
        looks += 1;
        return isLoaded ? { profiles: [], modelFault: () => undefined, processes: machine } : undefined;
      },
    });
    const { id } = await server.newSession({ input: { kind: "prompt", text: "go" } });
    const claim = await server.store.claimSession(60_000);
    await server.store.releaseLease(claim!.lease);
    await append(server, id, started("prc_1"));
    const socket = await server.socket();
    const before = looks;
    socket.send({ op: "attach", process: "prc_1" });
    await until(() => looks > before + 1);
    isLoaded = true;
    expect(await socket.next("output")).toMatchObject({ from: 0, text: "one " });
    expect(socket.frames.filter(({ op }) => op === "error")).toEqual([]);
  });

  it("that attaches to a process of a server without agents is told that none are run there", async () => {
    const server = await openServer();
    const { id } = await server.newSession();
    await append(server, id, started("prc_1"));
    const socket = await server.socket();
    socket.send({ op: "attach", process: "prc_1" });
    expect(await socket.next("error")).toMatchObject({
      process: "prc_1",
      detail: expect.stringContaining("No processes are run here"),
    });
  });

  it("sees a delegate's ask on the row of the session that it works for", async () => {
    const { server, session } = await serve();
    const { store } = server;
    const origin = { kind: "delegation", session } as const;
    await store.createSession({ id: "ses_child", profile: "default", origin }, { person: "owner" });
    const socket = await server.socket();
    socket.send({ op: "watch", topic: "sessions" });
    await socket.next("rows");
    const ask: NewEvent = { type: "ask_opened", data: { ask: "ask_1", kind: "approval", title: "may I" } };
    await append(server, "ses_child", ask);
    const frame = await socket.next("rows", ({ rows }) => rows.some(({ id }) => id === session));
    expect(frame.rows).toMatchObject([{ id: session, attention: { kind: "approval", count: 1 } }]);
  });
});
