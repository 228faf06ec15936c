import { expect, it } from "vitest";
import { behind } from "./behind.ts";

it("a server is another one with any other word of its command, or another address", async () => {
  const configs = [
    { command: ["server"] },
    { command: ["server", "--all"] },
    { command: ["server --all"] },
    { command: ["https://mcp.example/mcp"] },
    { url: "https://mcp.example/mcp" },
    { url: "https://mcp.example/mcp?tenant=a" },
    { url: "https://mcp.example/mcp?token=a" },
    { url: "https://mcp.example/mcp?token=b" }, // though nobody is shown which
  ];
  const digests = await Promise.all(configs.map(async (config) => (await behind(config)).digest));
  expect(new Set(digests).size).toBe(configs.length);
  expect((await behind(configs[1]!)).digest).toBe(digests[1]);
});

it("a server is shown by its command or its address, without tokens and not at any length", async () => {
  expect((await behind({ command: ["server", "--token=abc"] })).shown).toBe("server --token=[secret]");
  expect((await behind({ url: "https://a:b@mcp.example/mcp" })).shown).toBe(
    "https://[secret]@mcp.example/mcp",
  );
  expect((await behind({ command: ["server", "a b ".repeat(1_000)] })).shown).toHaveLength(1_000);
});
