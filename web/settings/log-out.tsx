import { useDashboard } from "../state/dashboard.ts";
import { TakeBack } from "./take-back.tsx";

export function LogOut() {
  const { client } = useDashboard();
  async function logOut(): Promise<void> {
    await client.logout();
    location.assign("/"); // what was read goes with the page
  }
  return <TakeBack verb="Log out" what="this device" run={logOut} />;
}
