// `/insights`: what agents have used, day by day and by what it was for.
import { createMemo, For, Show } from "solid-js";
import { insightsPath } from "../address.ts";
import { nameSubject } from "../document-title.ts";
import { PageHead } from "../page-head.tsx";
import { navigate, route } from "../route.ts";
import { RANGES, USUAL_RANGE, type Range } from "./days.ts";
import { Period } from "./period.tsx";

export function InsightsPage() {
  nameSubject(() => "Insights");
  const days = createMemo(() => {
    const here = route();
    return here.page === "insights" ? here.days : USUAL_RANGE;
  });
  return (
    <>
      <PageHead title="Insights" />
      <div class="page insights">
        <Ranges chosen={days()} />
        <Show when={days()} keyed>
          {(days) => <Period days={days} />}
        </Show>
      </div>
    </>
  );
}

function Ranges(props: { chosen: Range }) {
  return (
    <div class="choice" role="radiogroup" aria-label="Period">
      <For each={RANGES}>
        {(days) => (
          <label>
            <input
              type="radio"
              name="period"
              checked={props.chosen === days}
              onChange={() => navigate(insightsPath(days), { replace: true })}
            />
            {days} days
          </label>
        )}
      </For>
    </div>
  );
}
