import { describe, expect, it } from "vitest";
import type { ContextMessage, StepRequest } from "../driver/driver.ts";
import { formatPosition } from "../session/position.ts";
import type { Lease } from "../store/store.ts";
import { childId } from "./derived-ids.ts";
import { sessionDelegates } from "./delegates.ts";
import { HeldSession } from "./held-session.ts";
import { returnDelegate } from "./return-delegate.ts";
import { results, types, useScene } from "./scene.ts";
import type { Line } from "./scripted-driver.ts";

const scene = useScene();

/** Whoever is told "delegate …" delegates the rest; whoever hears back says so; all others answer. */
function delegating({ context }: StepRequest, background = false): Line {
  const last = context.at(-1);
  if (last?.role === "tool") return `Heard: ${last.result}`;
  const text = textOf(last);
  const rest = /^delegate (.*)$/s.exec(text)?.[1];
  return rest === undefined
    ? `Done: ${text}`
    : { call: "delegate", args: { prompt: rest, ...(background && { background }) } };
}

function textOf(message: ContextMessage | undefined): string {
  return message?.role === "person" ? message.text : "";
}

async function childOf(parent: string): Promise<string> {
  const delegated = (await scene.untilFact(parent, "delegated")).find(({ type }) => type === "delegated");
  return (delegated as { data: { session: string } }).data.session; // it is there, or the wait goes on
}

describe("a delegate in the foreground", () => {
  it("works in a session of its own, and its answer is the call's result, once", async () => {
    await scene.run(delegating);
    const parent = await scene.send("delegate look around");
    const log = await scene.untilFact(parent, "turn_ended");
    expect(results(log)).toMatchObject([{ status: "ok", result: "Done: look around" }]);
    expect(types(log).filter((type) => type === "delegate_returned")).toHaveLength(1);
    const child = await scene.store.session(await childOf(parent), "owner");
    expect(child).toMatchObject({
      origin: { kind: "delegation", session: parent },
      workspace: scene.workspace,
      status: "idle",
    });
    expect((await scene.store.view(parent))?.delegates).toEqual([]);
  });

  it("whose answer the provider's filter ended says so to its parent", async () => {
    await scene.run((request) =>
      textOf(request.context.at(-1)) === "look" ? { calls: [], finish: "filter" } : delegating(request),
    );
    const log = await scene.untilFact(await scene.send("delegate look"), "turn_ended");
    expect(results(log)[0]?.result).toBe("[it said nothing]\nThe provider's filter ended this answer.");
  });

  it("holds no lease of its parent while it works", async () => {
    await scene.run((request) =>
      textOf(request.context.at(-1)) === "think" ? { hangs: "Well" } : delegating(request),
    );
    const parent = await scene.send("delegate think");
    const child = await childOf(parent);
    await scene.untilFact(child, "draft");
    await expect
      .poll(async () => (await scene.store.overview()).leases.map(({ log }) => log))
      .toEqual([child]);
  });

  it("ends with its parent's turn when a person stops that", async () => {
    await scene.run((request) =>
      textOf(request.context.at(-1)) === "think" ? { hangs: "Well" } : delegating(request),
    );
    const parent = await scene.send("delegate think");
    const child = await childOf(parent);
    await scene.untilFact(child, "draft");
    const turn = (await scene.store.view(parent))!.turn!.id;
    await scene.append(parent, { type: "stop_requested", data: { turn } });
    const log = await scene.untilFact(parent, "turn_ended");
    expect(results(log)).toMatchObject([{ status: "stopped" }]);
    const ended = await scene.untilFact(child, "turn_ended");
    expect(ended.at(-1)?.data).toMatchObject({ outcome: "stopped" });
    await expect.poll(async () => (await scene.store.overview()).leases).toEqual([]);
    expect(results(await scene.untilFact(parent, "turn_ended"))).toHaveLength(1);
  });

  it("that a person let go before its parent knew of it is reported all the same, once", async () => {
    const parent = await scene.send("go");
    const claimed = await scene.store.claimLease(parent, 15_000);
    if (!claimed.ok) throw new Error(claimed.code);
    const delegates = sessionDelegates({
      store: scene.store,
      profile: () => ({ ok: true }),
      workspace: () => Promise.resolve({ path: scene.workspace }),
    });
    const held = await HeldSession.open(scene.store, claimed.lease);
    const delegation = { prompt: "look around", profile: undefined, background: false };
    const made = await delegates.create(held, "s1-0", delegation);
    if ("refused" in made) throw new Error(made.refused);

    const child = made.session;
    await scene.append(child, { type: "queue_released", data: {} });
    await scene.run(delegating);
    await scene.untilFact(child, "turn_ended");
    await held.append([{ type: "delegated", data: { session: child, call: "s1-0", background: false } }]);
    await delegates.begin(held.id, child);
    await delegates.begin(held.id, child);
    const log = await scene.untilFact(parent, "delegate_returned");
    expect(log.filter(({ type }) => type === "delegate_returned")).toMatchObject([
      { data: { session: child, outcome: "completed", summary: "Done: look around" } },
    ]);
  });

  it("that a person went back in is waited for in its successor", async () => {
    await scene.run((request) =>
      textOf(request.context.at(-1)) === "think" ? { hangs: "Well" } : delegating(request),
    );
    const parent = await scene.send("delegate think");
    const child = await childOf(parent);
    await scene.untilFact(child, "draft");
    await scene.stop(); // nobody tells of its end
    const view = await scene.store.view(child);
    if (!view) throw new Error("the delegate is gone");
    const back = { from: child, id: "ses_next", at: formatPosition(1, 0), view, reason: "undone", first: [] };
    const command = { scope: "owner", key: "back", digest: "d" };
    expect(await scene.store.succeedSession(back, { person: "owner" }, command)).toMatchObject({ ok: true });

    const end = async () => ({ outcome: "completed", text: "Done anew." }) as const;
    for (let told = 0; told < 2; told++) await returnDelegate(scene.store, "ses_next", parent, end);
    const log = await scene.untilFact(parent, "delegate_returned");
    expect(results(log)).toMatchObject([{ status: "ok", result: "Done anew." }]);
    expect((await scene.store.view(parent))?.delegates).toEqual([]);
  });

  it("that fails is an error with its reason", async () => {
    await scene.run((request) =>
      textOf(request.context.at(-1)) === "fail"
        ? { fault: { class: "auth", message: "no key" } }
        : delegating(request),
    );
    const log = await scene.untilFact(await scene.send("delegate fail"), "turn_ended");
    expect(results(log)).toMatchObject([{ status: "error", result: expect.stringContaining("no key") }]);
    expect(log.at(-1)?.data).toMatchObject({ outcome: "completed" });
  });

  it("may delegate itself, down to three deep", async () => {
    await scene.run(delegating);
    const parent = await scene.send(`${"delegate ".repeat(4)}dig`);
    const log = await scene.untilFact(parent, "turn_ended");
    expect(results(log)[0]?.result).toMatch(/^Heard: Heard: Heard: .*at most 3 deep/);
  });

  it("is let go by whoever takes over from an executor that died before it could", async () => {
    const { parent, child, lease } = await diedDelegating();
    await scene.store.append(
      parent,
      [{ type: "delegated", data: { session: child, call: CALL, background: false } }],
      { by: "executor", lease },
    );
    scene.advance(1_000);
    await scene.run(delegating);
    const log = await scene.untilFact(parent, "turn_ended");
    expect(results(log)).toMatchObject([{ status: "ok", result: "Done: look" }]);
  });

  it("has nothing to do any more when a person stops its parent after a crash, before its log named it", async () => {
    const { parent, child } = await diedDelegating();
    await scene.append(parent, { type: "stop_requested", data: { turn: "t1" } });
    scene.advance(1_000);
    await scene.run(delegating);
    const log = await scene.untilFact(parent, "turn_ended");
    expect(results(log)).toMatchObject([{ status: "stopped" }]);
    expect(await scene.store.session(child, "owner")).toMatchObject({ status: "idle", queued: 0 });
  });

  const CALL = "s1-0";

  /** As far as an executor came: the child is made, but held, and nothing in its parent's log names it. */
  async function diedDelegating(): Promise<{ parent: string; child: string; lease: Lease }> {
    const parent = await scene.send("delegate look around");
    const call = CALL;
    const child = childId(parent, call);
    const { lease } = (await scene.store.claimSession(1)) ?? {};
    if (!lease) throw new Error("there was nothing to claim");
    const input = { type: "input_admitted", data: { input: "inp_c", kind: "prompt", text: "look" } } as const;
    await scene.store.createSession(
      {
        id: child,
        profile: "default",
        workspace: scene.workspace,
        origin: { kind: "delegation", session: parent },
        first: [input, { type: "queue_held", data: { reason: "delegated" } }],
      },
      { executor: "nod_1", epoch: 1 },
    );
    const queued = (await scene.store.view(parent))!.queue[0]!;
    await scene.store.append(
      parent,
      [
        { type: "turn_started", data: { turn: "t1", inputs: [queued.input] } },
        { type: "input_delivered", data: { input: queued.input, turn: "t1", from: queued.position } },
        { type: "step_started", data: { turn: "t1", step: "s1", attempt: 1, model: "m" } },
        {
          type: "step_completed",
          data: {
            step: "s1",
            attempt: 1,
            message: [{ type: "call", call, name: "delegate", args: { prompt: "look" } }],
          },
        },
        {
          type: "tool_proposed",
          data: { step: "s1", call, name: "delegate", args: { prompt: "look" }, effect: "idempotent" },
        },
        { type: "tool_started", data: { call } },
      ],
      { by: "executor", lease },
    );
    return { parent, child, lease };
  }
});

describe("a delegate in the background", () => {
  const background = (request: StepRequest): Line => delegating(request, true);

  it("does not hold its parent, and its result comes as an input, once", async () => {
    const driver = await scene.run(background);
    const parent = await scene.send("delegate look around");
    const log = await scene.untilFact(parent, "turn_ended", 1);
    expect(results(log)).toMatchObject([{ status: "ok", result: expect.stringContaining("works on it") }]);
    await scene.untilFact(parent, "delegate_returned");
    const after = await scene.untilFact(parent, "input_delivered", 2);
    expect(types(after).filter((type) => type === "delegate_returned")).toHaveLength(1);
    const inputs = after.filter(({ type }) => type === "input_admitted");
    expect(inputs).toHaveLength(2);
    expect(inputs[1]).toMatchObject({
      data: { kind: "steer", delegate: { session: await childOf(parent), outcome: "completed" } },
    });
    await expect
      .poll(() => driver.requests.map(({ context }) => textOf(context.at(-1))))
      .toContain("Done: look around");
  });

  it("whose turn a person went back over tells its result to nobody", async () => {
    await scene.run((request) =>
      textOf(request.context.at(-1)) === "think" ? { hangs: "Well" } : background(request),
    );
    const parent = await scene.send("delegate think");
    const child = await childOf(parent);
    await scene.untilFact(parent, "turn_ended");
    const view = (await scene.store.view(parent))!;
    const back = {
      from: parent,
      id: "ses_back",
      at: formatPosition(1, 0),
      view,
      reason: "undone",
      first: [],
    };
    expect(await scene.store.succeedSession(back, { person: "owner" })).toMatchObject({ ok: true });
    await scene.untilFact(child, "draft");
    const turn = (await scene.store.view(child))!.turn!.id;
    await scene.append(child, { type: "stop_requested", data: { turn } });
    await scene.untilFact(child, "turn_ended");
    await expect.poll(() => scene.active).toBe(0); // it has told whoever it tells
    const after = await scene.store.view("ses_back");
    expect([after?.queue, after?.delegates]).toEqual([[], []]);
    expect(after?.messages.at(-1)).toMatchObject({ kind: "notice", text: expect.stringContaining(child) });
  });

  it("does not end with its parent's turn, and its result does not release a queue that a stop holds", async () => {
    await scene.run((request) => {
      const text = textOf(request.context.at(-1));
      return text === "wait" ? { call: "shell", args: { command: "sleep 1000" } } : background(request);
    });
    const parent = await scene.send("delegate wait");
    const child = await childOf(parent);
    await scene.untilFact(parent, "turn_ended");
    await scene.untilFact(child, "tool_started");
    await scene.append(parent, { type: "queue_held", data: { reason: "stopped" } });
    const turn = (await scene.store.view(child))!.turn!.id;
    await scene.append(child, { type: "stop_requested", data: { turn } });
    await scene.untilFact(parent, "delegate_returned");
    expect(await scene.store.session(parent, "owner")).toMatchObject({ status: "idle", queued: 1 });
  });
});
