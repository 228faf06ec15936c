import { render } from "solid-js/web";
import { App } from "./app.tsx";
import { registerWorker } from "./pwa.ts";
import "./style/all.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
render(() => <App />, root);
registerWorker();
