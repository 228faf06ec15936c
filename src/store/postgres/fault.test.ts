import pg from "pg";
import { expect, it } from "vitest";
import { StorageError } from "../store.ts";
import { isUnprepared, LostConnection, storageFault } from "./fault.ts";

const coded = (code: string, message = "") => Object.assign(new Error(message), { code });
const told = (code: string | undefined) => Object.assign(new pg.DatabaseError("", 0, "error"), { code });

it.each([
  coded("ECONNRESET"),
  coded("EAI_AGAIN"), // while the database's container begins anew, its name is known to nobody
  coded("ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC"),
  coded("ERR_STREAM_DESTROYED"),
  new Error("Connection terminated unexpectedly"),
  new Error("Received unexpected commandComplete message from backend."),
  told("57P01"),
  told(undefined), // pg-protocol's, of bytes that are no message
])("what ends a connection says nothing of what became of its statements: %o", (error) => {
  expect(storageFault(error)).toBeInstanceOf(LostConnection);
});

it.each([coded("ERR_OUT_OF_RANGE"), new TypeError("x is not a function")])(
  "what is wrong with us passes as it is: %o",
  (error) => {
    expect(storageFault(error)).toBe(error);
  },
);

it("a statement that its connection has not, or has twice, is one to send again", () => {
  const faults = ["26000", "42P05", "23505"].map((code) => storageFault(told(code)));
  expect(faults.map(isUnprepared)).toEqual([true, true, false]);
  expect(faults.map((fault) => (fault as StorageError).kind)).toEqual(["busy", "busy", "broken"]);
});
