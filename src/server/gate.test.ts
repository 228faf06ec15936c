import { expect, test } from "vitest";
import { Gate, isLoopback } from "./gate.ts";

const PORT = 4180;
const gate = gateFor({ host: "127.0.0.1" });

test.each(["127.0.0.1:4180", "localhost:4180", "LOCALHOST:4180", "[::1]:4180"])(
  "%s is one of our names",
  (host) => {
    expect(gate.hostRefusal({ host })).toBeUndefined();
  },
);

test.each([
  "evil.example",
  "evil.example:4180",
  "127.0.0.1",
  "localhost:4181",
  "127.0.0.1.evil.example:4180",
  "",
  undefined,
])("a request for %s is refused: a name can be rebound to our address", (host) => {
  expect(gate.hostRefusal(host === undefined ? {} : { host })?.code).toBe("wrong_host");
});

test.each(["http://127.0.0.1:4180", "http://localhost:4180", "http://[::1]:4180"])(
  "a page of %s is ours",
  (origin) => {
    expect(gate.originRefusal({ origin })).toBeUndefined();
  },
);

test.each([
  "http://127.0.0.1:3000",
  "http://localhost",
  "https://127.0.0.1:4180",
  "http://evil.example",
  "http://127.0.0.1:4180.evil.example",
  "null",
  "",
])("a page of %j is not", (origin) => {
  expect(gate.originRefusal({ origin })?.code).toBe("forbidden");
});

test("a browser that hides the origin still says whether the page is ours", () => {
  expect(gate.originRefusal({ "sec-fetch-site": "cross-site" })?.code).toBe("forbidden");
  expect(gate.originRefusal({ "sec-fetch-site": "same-site" })?.code).toBe("forbidden");
  expect(gate.originRefusal({ "sec-fetch-site": "same-origin" })).toBeUndefined();
  expect(gate.originRefusal({ "sec-fetch-site": "none" })).toBeUndefined();
  expect(gate.originRefusal({})).toBeUndefined();
});

test("a configured name counts with its own port, or with the server's, or without one", () => {
  const named = gateFor({ host: "127.0.0.1", hosts: ["Box.local", "other.local:9000"] });
  expect(named.hostRefusal({ host: "box.local" })).toBeUndefined();
  expect(named.hostRefusal({ host: "box.local:4180" })).toBeUndefined();
  expect(named.hostRefusal({ host: "box.local:81" })).toBeDefined();
  expect(named.hostRefusal({ host: "other.local:9000" })).toBeUndefined();
  expect(named.hostRefusal({ host: "other.local:4180" })).toBeDefined();
});

test("behind a proxy the proxy's own origin is ours, and no other https one", () => {
  const behind = gateFor({ host: "0.0.0.0", behindProxy: "https://holdfast.example" });
  expect(behind.hostRefusal({ host: "holdfast.example" })).toBeUndefined();
  expect(behind.originRefusal({ origin: "https://holdfast.example" })).toBeUndefined();
  expect(behind.originRefusal({ origin: "http://holdfast.example" })).toBeDefined();
  expect(behind.originRefusal({ origin: "https://localhost:4180" })).toBeDefined();
});

test.each([
  ["https://holdfast.example:443", "https://holdfast.example"],
  ["http://holdfast.example:80", "http://holdfast.example"],
  ["https://Holdfast.Example:8443", "https://holdfast.example:8443"],
  ["https://bücher.example", "https://xn--bcher-kva.example"],
])("behind a proxy named as %s a page is ours that its browser calls %s", (behindProxy, origin) => {
  const behind = gateFor({ host: "127.0.0.1", behindProxy });
  expect(behind.originRefusal({ origin })).toBeUndefined();
  expect(behind.hostRefusal({ host: new URL(origin).host })).toBeUndefined();
  expect(behind.originRefusal({ origin: `${origin}1` })).toBeDefined();
});

test("an international name is known as it is sent", () => {
  const named = gateFor({ host: "127.0.0.1", hosts: ["Bücher.local", "käse.local:9000", "[fd00::1]"] });
  expect(named.hostRefusal({ host: "xn--bcher-kva.local:4180" })).toBeUndefined();
  expect(named.originRefusal({ origin: "http://xn--bcher-kva.local:4180" })).toBeUndefined();
  expect(named.hostRefusal({ host: "xn--kse-qla.local:9000" })).toBeUndefined();
  expect(named.hostRefusal({ host: "[fd00::1]:4180" })).toBeUndefined();
});

test.each([
  ["127.0.0.1", true],
  ["127.8.8.8", true],
  ["::1", true],
  ["localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.1.2", false],
  ["127.0.0.1.evil.example", false],
])("%s is loopback: %s", (host, is) => {
  expect(isLoopback(host)).toBe(is);
});

function gateFor(options: ConstructorParameters<typeof Gate>[0]): Gate {
  const made = new Gate(options);
  made.listensOn(PORT);
  return made;
}
