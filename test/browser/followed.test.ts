// What a tab stays attached to, whatever it shows.
import { expect, test } from "vitest";
import type { ClientFrame } from "../../src/protocol/socket.ts";
import { formatPosition } from "../../src/session/position.ts";
import { Script } from "../scripted-work.ts";
import { useScriptedServer } from "./visit.ts";
import { expectNoFaults } from "./watched-page.ts";

const visit = useScriptedServer();

test("a tab follows what is at work and what was opened, over one socket, and switching leaves nothing", async () => {
  const [quiet, atWork, opened] = [
    await visit.server.create("Quiet"),
    await visit.server.create("At work"),
    await visit.server.create("Opened"),
  ];
  const page = await visit.open(); // connected, so that no socket but the reload's is counted
  let sockets = 0;
  const attached = new Set<string>();
  page.on("websocket", (socket) => {
    sockets += 1;
    socket.on("framesent", ({ payload }) => {
      const frame = JSON.parse(String(payload)) as ClientFrame;
      if (frame.op === "attach" && "session" in frame) attached.add(frame.session);
      if (frame.op === "leave" && "session" in frame) attached.delete(frame.session);
    });
  });
  await page.reload();
  await page.getByText("connected", { exact: true }).first().waitFor();
  expect(attached).toEqual(new Set());

  const turn = new Script("a").admit("Go.").take("inp_a1", formatPosition(2, 0)).begin();
  await visit.server.play(atWork, turn.draft("text", 0, "In the middle of"));
  await expect.poll(() => [...attached]).toEqual([atWork]);
  await page.getByRole("link", { name: /Opened/ }).click();
  await page.getByRole("heading", { name: "Opened" }).waitFor();
  await page.getByRole("link", { name: /At work/ }).click();
  await page.getByText("In the middle of").waitFor();
  expect(attached).toEqual(new Set([atWork, opened]));
  expect(attached).not.toContain(quiet);
  expect(sockets).toBe(1);
  expectNoFaults(page);
});

test("one that has ended its work without being opened is left", async () => {
  const session = await visit.server.create("At work");
  const turn = new Script("a").admit("Go.").take("inp_a1", formatPosition(2, 0)).begin();
  await visit.server.play(session, turn);
  const page = await visit.open();
  const said: string[] = [];
  page.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => said.push((JSON.parse(String(payload)) as ClientFrame).op)),
  );
  await page.reload();
  await expect.poll(() => said).toContain("attach");
  await visit.server.append(session, [
    { type: "turn_ended", data: { turn: "turn_a2", outcome: "completed" } },
  ]);
  await expect.poll(() => said).toContain("leave");
  expectNoFaults(page);
});
