// `/settings`: what is kept on this device, who has access, and what this server is.
import { nameSubject } from "../document-title.ts";
import { PageHead } from "../page-head.tsx";
import { About } from "./about.tsx";
import { Appearance } from "./appearance.tsx";
import { Devices } from "./devices.tsx";
import { Notifications } from "./notifications.tsx";
import { Rules } from "./rules.tsx";
import { Tokens } from "./tokens.tsx";

export function SettingsPage() {
  nameSubject(() => "Settings");
  return (
    <>
      <PageHead title="Settings" />
      <div class="page settings">
        <Appearance />
        <Notifications />
        <Devices />
        <Tokens />
        <Rules />
        <About />
      </div>
    </>
  );
}
