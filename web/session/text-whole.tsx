// A text that is too long for its event: how it begins, and all of it on demand.
import type { JSX } from "solid-js";
import { useDashboard } from "../state/dashboard.ts";
import { textSource } from "./output-pages.ts";
import { WholeOutput } from "./whole-output.tsx";

export function TextWhole(props: {
  blob: string;
  file: string;
  beginning: () => string;
  shown: (text: () => string) => JSX.Element;
}) {
  const { client } = useDashboard();
  return (
    <WholeOutput
      name={props.blob}
      file={props.file}
      source={() => textSource(async () => (await client.blob(props.blob)).text())}
      shown={props.shown}
      beginning={props.shown(props.beginning)}
      missing="This is how it begins"
    />
  );
}
