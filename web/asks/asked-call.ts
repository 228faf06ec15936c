// What an ask is about, as its session's log has it: the tool, what it was given, and what was said just before.
import { argumentsOf } from "../../src/session/ask-details.ts";
import { toolOf } from "../../src/session/parts.ts";
import type { View } from "../../src/session/view.ts";
import type { ShownAsk } from "./shown-ask.ts";

export type AskedCall = {
  tool: string;
  args: unknown;
  /** The agent's own words before the call; empty when it gave none. */
  why: string;
  profile: string;
};

/** Undefined when the view no longer holds the call. */
export function askedCall(view: View, call: string | null): AskedCall | undefined {
  const found = call === null ? undefined : toolOf(view, call);
  if (!found) return undefined;
  const { message, part } = found;
  const before = message.parts.slice(0, message.parts.indexOf(part));
  const why = before.flatMap(({ kind, ...said }) => (kind === "text" && "text" in said ? [said.text] : []));
  return { tool: part.name, args: part.args, why: why.join("\n\n").trim(), profile: view.meta.profile };
}

/** What there is to judge by beside the command. A long text is whole in the log, and only begun in the ask. */
export function givenTo(
  { details, command, cwd }: Pick<ShownAsk, "details" | "command" | "cwd">,
  call: AskedCall | undefined,
): [name: string, text: string][] {
  const given = argumentsOf(call?.args, [command, cwd]);
  return (
    details?.map(({ name, text, bytes }) => {
      const whole = bytes === undefined ? text : given.find(([other]) => other === name)?.[1];
      return [name, whole ?? `${text}\n[the beginning of ${bytes?.toLocaleString("en")} bytes]`];
    }) ?? given
  );
}
