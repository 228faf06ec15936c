import { For } from "solid-js";
import { Icon, type IconName } from "../icon.tsx";
import { setTheme, theme, THEMES, type Theme } from "../theme.ts";
import { Section } from "../section.tsx";

const ICONS: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };
const WORDS: Record<Theme, string> = { system: "As the system", light: "Light", dark: "Dark" };

export function Appearance() {
  return (
    <Section id="appearance" title="Appearance" about="Kept on this device.">
      <div class="choice" role="radiogroup" aria-label="Theme">
        <For each={THEMES}>
          {(name) => (
            <label>
              <input type="radio" name="theme" checked={theme() === name} onChange={() => setTheme(name)} />
              <Icon name={ICONS[name]} />
              {WORDS[name]}
            </label>
          )}
        </For>
      </div>
    </Section>
  );
}
