// A statement's values, written into a buffer that its connection keeps: pg makes one for each statement, and several on
// the way to its size. There are as many as statements that are on their way at once: one that is answered was read.
//
// What is written is let go at once. pg's queries outlive the collections of young garbage, each kept by one before it
// that is old and dead; with their values they took all texts of their events along, four fifths of what was kept so.
import type pg from "pg";
import type { Value } from "./database.ts";
import { Message } from "./message.ts";
import { WireArray } from "./wire.ts";

const BIND = "B".charCodeAt(0);
const AS_TEXT = 0;
const AS_BYTES = 1;

export function keepMessages(connection: pg.Connection, atOnce: number): void {
  const messages = Array.from({ length: atOnce }, () => new Message());
  connection.bind = (config) => {
    const message = messages.shift() as Message; // there is one
    messages.push(message);
    const { statement = "", values = [] } = config ?? {};
    writeBind(message, statement, values as Value[]); // as the lanes' statements have them
    if (connection.stream.writable) connection.stream.write(message.bytes);
    values.length = 0;
  };
}

function writeBind(message: Message, statement: string, values: readonly Value[]): void {
  message.begin();
  message.byte(BIND);
  message.int32(0);
  message.name("");
  message.name(statement);
  message.int16(values.length);
  for (const value of values)
    message.int16(value instanceof WireArray || value instanceof Buffer ? AS_BYTES : AS_TEXT);
  message.int16(values.length);
  for (const value of values) writeValue(message, value);
  message.int16(1);
  message.int16(AS_TEXT);
  message.int32At(1, message.length - 1);
}

function writeValue(message: Message, value: Value): void {
  if (value === null) return message.null();
  if (typeof value !== "object") return message.sized(String(value));
  const at = message.length;
  message.int32(0);
  if (value instanceof WireArray) value.writeTo(message);
  else message.copy(value);
  message.int32At(at, message.length - at - 4);
}
