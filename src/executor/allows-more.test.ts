import { describe, expect, it } from "vitest";
import type { StepRequest } from "../driver/driver.ts";
import type { ConfigRule, Policy } from "../session/approval.ts";
import { START } from "../session/position.ts";
import { toolbox } from "../tool/toolbox.ts";
import type { Tool } from "../tool/tool.ts";
import { allowsMore, type Allowed } from "./allows-more.ts";
import { childId } from "./derived-ids.ts";
import { results, types, useScene } from "./scene.ts";
import type { Line } from "./scripted-driver.ts";

const rule = (decision: ConfigRule["decision"], match = "ls *"): ConfigRule => ({
  tool: "shell",
  match,
  decision,
});
const policy = (changes: Partial<Policy> = {}): Policy => ({
  approvals: "ask",
  config: [],
  saved: [],
  ...changes,
});
// Only their names count.
const tools = (...names: string[]) => toolbox(new Map(names.map((name) => [name, {} as Tool])), []);
const own: Allowed = {
  toolbox: tools("read", "shell"),
  mcp: ["issues"],
  sandboxed: true,
  network: false,
  passEnv: ["LANG"],
  policy: policy({ config: [rule("allow"), rule("deny", "rm *"), rule("ask", "mv *")] }),
};
const { config } = own.policy;

describe("a profile allows more", () => {
  it.each<[string, Partial<Allowed>]>([
    ["that asks less", { policy: policy({ config, approvals: "auto" }) }],
    ["that runs commands outside of the sandbox", { sandboxed: false }],
    ["whose sandbox has the network", { network: true }],
    ["that has another tool", { toolbox: tools("read", "write") }],
    ["that has the tools of another MCP server", { mcp: ["issues", "deploy"] }],
    ["that passes on more of the environment", { passEnv: ["LANG", "DEPLOY_KEY"] }],
    [
      "with a rule that allows what no own one does",
      { policy: policy({ config: [...config, rule("allow", "*")] }) },
    ],
    ["without a rule that denies", { policy: policy({ config: config.toSpliced(1, 1) }) }],
    ["without a rule that asks", { policy: policy({ config: config.toSpliced(2, 1) }) }],
    [
      "for which a person has allowed something for good",
      { policy: policy({ config, saved: [{ ...rule("allow"), decision: "allow" }] }) },
    ],
  ])("%s", (_, differs) => {
    expect(allowsMore(own, { ...own, ...differs })).toBe(true);
  });

  it.each<[string, Partial<Allowed>]>([
    ["that is alike", {}],
    ["that only denies", { policy: policy({ config, approvals: "deny" }) }],
    ["with fewer tools and less of the environment", { toolbox: tools("read"), mcp: [], passEnv: [] }],
    [
      "with more rules that deny and fewer that allow",
      { policy: policy({ config: [...config.slice(1), rule("deny", "*")] }) },
    ],
  ])("but not one %s", (_, differs) => {
    expect(allowsMore(own, { ...own, ...differs })).toBe(false);
  });

  it("that runs commands in a sandbox without asking, where outside of one they are asked for", () => {
    expect(allowsMore({ ...own, sandboxed: false }, own)).toBe(true);
  });
});

describe("delegating", () => {
  const scene = useScene();
  const ASKS = { policy: { approvals: "ask", config: [] } } as const;
  const AUTO = { auto: { policy: { approvals: "auto", config: [] } }, alike: {} } as const;

  /** Whoever is told "<profile> …" gives the rest to one of that profile; all others run what they are told. */
  function handingOn({ context }: StepRequest): Line {
    const last = context.at(-1);
    if (last?.role !== "person") return "Done.";
    const [, profile, prompt] = /^(auto|alike) (.*)$/.exec(last.text) ?? [];
    return profile === undefined
      ? { call: "shell", args: { command: last.text } }
      : { call: "delegate", args: { prompt, profile } };
  }

  async function answer(session: string, ask: string, choice: string): Promise<void> {
    await scene.append(session, {
      type: "ask_answered",
      data: { ask, kind: "approval", answer: { choice } },
    });
  }

  it("to a profile that asks less is put to a person, who may allow it for good", async () => {
    await scene.run(handingOn, ASKS, {}, 8, AUTO);
    const session = await scene.send("auto echo unasked");
    const log = await scene.untilFact(session, "ask_opened");
    const opened = log.find(({ type }) => type === "ask_opened");
    const { ask, title } = (opened as unknown as { data: { ask: string; title: string } }).data; // it is there, or the wait goes on
    expect(title).toBe("delegate: to auto: echo unasked");
    expect((await scene.store.view(session))?.delegates).toEqual([]);

    await answer(session, ask, "always");
    await scene.untilFact(session, "turn_ended");
    await scene.send("auto echo unasked", session);
    const after = await scene.untilFact(session, "turn_ended", 2);
    expect(after.filter(({ type }) => type === "ask_opened")).toHaveLength(1);
    expect(results(after)).toMatchObject([{ status: "ok" }, { status: "ok" }]);
  });

  describe.each([
    ["before the other was made", false],
    ["before its own log named the other", true],
  ])("that its executor began when it was allowed, and died over %s", (_, isMade) => {
    it("is put to a person where it is no longer, and done once that is allowed", async () => {
      const { parent, child } = await begunUnasked(isMade);
      await scene.run(handingOn, ASKS, {}, 8, AUTO);
      const { ask } = (await scene.untilFact(parent, "ask_opened")).at(-1)!.data as { ask: string };
      expect(types(await scene.store.events(child, START, 100))).not.toContain("turn_started");
      await answer(parent, ask, "once");
      expect(results(await scene.untilFact(parent, "turn_ended"))).toMatchObject([{ status: "ok" }]);
      expect(types(await scene.untilFact(child, "turn_ended"))).toContain("turn_started");
    });

    it("is not done where that is denied, and nobody waits to begin with it", async () => {
      const { parent, child } = await begunUnasked(isMade);
      await scene.run(handingOn, ASKS, {}, 8, AUTO);
      const { ask } = (await scene.untilFact(parent, "ask_opened")).at(-1)!.data as { ask: string };
      await answer(parent, ask, "deny");
      expect(results(await scene.untilFact(parent, "turn_ended"))).toMatchObject([{ status: "denied" }]);
      expect((await scene.store.session(child, ""))?.queued ?? 0).toBe(0);
      expect(types(await scene.store.events(child, START, 100))).not.toContain("turn_started");
    });
  });

  /** By an executor that died right after it had begun to delegate to `auto`, which was no laxer then. */
  async function begunUnasked(isMade: boolean): Promise<{ parent: string; child: string }> {
    const parent = await scene.send("auto echo unasked");
    const { input, position: from } = (await scene.store.view(parent))!.queue[0]!;
    const [call, args] = ["s5-0", { prompt: "echo unasked", profile: "auto" }];
    const child = childId(parent, call);
    if (isMade)
      await scene.store.createSession(
        {
          id: child,
          profile: "auto",
          workspace: scene.workspace,
          origin: { kind: "delegation", session: parent },
          first: [
            { type: "input_admitted", data: { input: "inp_c", kind: "prompt", text: args.prompt } },
            { type: "queue_held", data: { reason: "delegated" } },
          ],
        },
        { keeper: "delegates" },
      );
    await scene.append(
      parent,
      { type: "turn_started", data: { turn: "t3", inputs: [input] } },
      { type: "input_delivered", data: { input, turn: "t3", from } },
      { type: "step_started", data: { turn: "t3", step: "s5", attempt: 1, model: "m" } },
      {
        type: "step_completed",
        data: { step: "s5", attempt: 1, message: [{ type: "call", call, name: "delegate", args }] },
      },
      { type: "tool_proposed", data: { step: "s5", call, name: "delegate", args, effect: "idempotent" } },
      { type: "tool_started", data: { call } },
    );
    return { parent, child };
  }

  it("to a profile that allows no more is not: the other asks for itself", async () => {
    await scene.run(handingOn, ASKS, {}, 8, AUTO);
    const session = await scene.send("alike echo asked");
    const delegated = (await scene.untilFact(session, "delegated")).find(({ type }) => type === "delegated");
    const child = (delegated as { data: { session: string } }).data.session; // it is there, or the wait goes on
    const log = await scene.untilFact(child, "ask_opened");
    expect(log.find(({ type }) => type === "ask_opened")?.data).toMatchObject({ command: "echo asked" });
  });
});
