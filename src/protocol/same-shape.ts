// A schema for a type that stands elsewhere, because a page folds by it and must not carry the schema library.
import type { z } from "zod";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? unknown : never) : never;

/** Names the schema; does not compile once the type can be what the schema can't, or the other way round. */
export function describes<T>() {
  return <S extends z.ZodType>(id: string, schema: S & Same<z.output<S>, T>): S => schema.meta({ id }) as S;
}
