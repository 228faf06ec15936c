import type { JSX } from "solid-js";
import { Brand } from "../brand.tsx";

export function LoginFrame(props: { children: JSX.Element }) {
  return (
    <main class="login">
      <div class="card">
        <Brand />
        {props.children}
      </div>
    </main>
  );
}

export function HowToLogIn() {
  return (
    <>
      <p>
        On the machine where Holdfast runs, type <code>holdfast login</code>, and open the link that it prints
        in this browser.
      </p>
      <p class="note">
        The server also prints a link each time it starts. Where you are logged in already, Settings → Devices
        makes one.
      </p>
    </>
  );
}
