// The session that a part of the page belongs to, for what stands deep within it.
import { createContext, useContext } from "solid-js";
import type { Followed } from "../state/followed.ts";

export const SessionContext = createContext<Followed>();

export function useSession(): Followed {
  const session = useContext(SessionContext);
  if (!session) throw new Error("there is no session around this component");
  return session;
}
