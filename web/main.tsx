import { render } from "solid-js/web";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
render(() => <main>Holdfast</main>, root);
