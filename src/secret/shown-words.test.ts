import { expect, it } from "vitest";
import { shownAddress, shownCommand } from "./shown-words.ts";

it.each([
  ["https://mcp.example/mcp", "https://mcp.example/mcp"],
  ["https://mcp.example:8443/v1/mcp?tenant=acme&beta", "https://mcp.example:8443/v1/mcp?tenant=acme&beta"],
  ["https://me:opensesame@mcp.example/mcp", "https://[secret]@mcp.example/mcp"],
  ["https://tok123@mcp.example", "https://[secret]@mcp.example/"],
  ["https://a@b@mcp.example/mcp", "https://[secret]@mcp.example/mcp"],
  ["https://mcp.example/mcp?apiKey=abc&tenant=acme", "https://mcp.example/mcp?apiKey=[secret]&tenant=acme"],
  ["https://mcp.example/mcp?access_token=a=b", "https://mcp.example/mcp?access_token=[secret]"],
  ["https://mcp.example/mcp?k=0123456789abcdef0123", "https://mcp.example/mcp?k=[secret]"],
  ["https://mcp.example/s/0b5e2c1a-98f7-4d3c-a1b2-c3d4e5f60718/mcp", "https://mcp.example/s/[secret]/mcp"],
  ["https://mcp.example/mcp#opensesame", "https://mcp.example/mcp#[secret]"],
  ["https://", "[secret]"],
])("of the address %s %s is shown", (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});

it.each([
  [["npx", "-y", "@scope/server-github@2025.4.8"], "npx -y @scope/server-github@2025.4.8"],
  [["/opt/my tools/server", ""], '"/opt/my tools/server" ""'],
  [["server", "--token", "abc", "--port", "80"], "server --token [secret] --port 80"],
  [["server", "--api-key=abc", "--verbose"], "server --api-key=[secret] --verbose"],
  [["server", "--token", "--port"], "server --token --port"],
  [["env", "DOCS_TOKEN=abc", "HOME=/root", "server"], "env DOCS_TOKEN=[secret] HOME=/root server"],
  [["remote", "https://x.example/?key=abc"], "remote https://x.example/?key=[secret]"],
  [["remote", "--url=https://me:abc@x.example/"], "remote --url=https://[secret]@x.example/"],
  [["remote", "--header", "Authorization: Bearer abc"], 'remote --header "Authorization: [secret]"'],
  [["remote", "--header=X-Api-Key:abc"], "remote --header=X-Api-Key:[secret]"],
  [["remote", "--header", "Bearer abc"], 'remote --header "Bearer [secret]"'],
  [["sh", "-c", "FOO=1 exec server --token abc -v"], 'sh -c "FOO=1 exec server --token [secret] -v"'],
  [
    ["sh", "-c", "r -H 'Authorization: Bearer abc'"],
    `sh -c "r -H 'Authorization:[secret] [secret] [secret]"`,
  ],
  [["sh", "-c", "r https://me:abc@x.example/"], 'sh -c "r https://[secret]@x.example/"'],
  [["server", "ghp_0123456789abcdefghij"], "server [secret]"],
  [["server", "eyJhbGciOi.eyJzdWIi.x"], "server [secret]"],
])("of the command %j %s is shown", (words, shown) => {
  expect(shownCommand(words)).toBe(shown);
});
