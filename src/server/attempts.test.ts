import { expect, test } from "vitest";
import { Attempts } from "./attempts.ts";

const PER_ADDRESS = { burst: 3, refillMs: 1_000 };
const OVERALL = { burst: 5, refillMs: 500 };

test("an address has so many attempts at once, then one in each interval", () => {
  const { attempts, pass } = setUp();
  for (let n = 0; n < 3; n++) expect(attempts.take("a")).toBeUndefined();
  expect(attempts.take("a")).toBe(1_000);
  pass(400);
  expect(attempts.take("a")).toBeCloseTo(600);
  pass(600);
  expect(attempts.take("a")).toBeUndefined();
  expect(attempts.take("a")).toBeDefined();
});

test("many addresses together have a bound of their own", () => {
  const { attempts } = setUp();
  for (const address of ["a", "b", "c", "d", "e"]) expect(attempts.take(address)).toBeUndefined();
  expect(attempts.take("f")).toBe(500);
});

test("a right secret costs nothing", () => {
  const { attempts } = setUp();
  for (let n = 0; n < 50; n++) {
    expect(attempts.take("a")).toBeUndefined();
    attempts.giveBack("a");
  }
});

test("a clock that is set back gives no attempts away", () => {
  const { attempts, pass } = setUp();
  for (let n = 0; n < 3; n++) attempts.take("a");
  pass(-3600_000);
  expect(attempts.take("a")).toBeGreaterThan(0);
});

function setUp() {
  let now = 1_000_000;
  return { attempts: new Attempts(() => now, PER_ADDRESS, OVERALL), pass: (ms: number) => void (now += ms) };
}
