import { describe, expect, it } from "vitest";
import type { StepRequest } from "../driver/driver.ts";
import type { ConfigRule, Policy } from "../session/approval.ts";
import { toolbox } from "../tool/toolbox.ts";
import type { Tool } from "../tool/tool.ts";
import { allowsMore, type Allowed } from "./allows-more.ts";
import { results, useScene } from "./scene.ts";
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

  it("to a profile that allows no more is not: the other asks for itself", async () => {
    await scene.run(handingOn, ASKS, {}, 8, AUTO);
    const session = await scene.send("alike echo asked");
    const delegated = (await scene.untilFact(session, "delegated")).find(({ type }) => type === "delegated");
    const child = (delegated as { data: { session: string } }).data.session; // it is there, or the wait goes on
    const log = await scene.untilFact(child, "ask_opened");
    expect(log.find(({ type }) => type === "ask_opened")?.data).toMatchObject({ command: "echo asked" });
  });
});
