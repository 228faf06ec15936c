// The built-in driver: a step is one streamed call of one model. Its SDK retries nothing and runs nothing; what comes of
// a failure is the executor's affair.
import type { Delta, Driver, ProviderFault, StepRequest, StepResult } from "../driver.ts";
import { demoStep, type Pace } from "./demo/demo.ts";
import { usualPace } from "./demo/pace.ts";
import { locateModel, type Endpoint, type Env, type ProviderConfig } from "./endpoint.ts";
import { cutFault, faultOf, protocolFault } from "./fault.ts";
import { patientFetch, USUAL_FETCH_LIMITS, type FetchLimits } from "./fetch.ts";
import { callSettings, openModel, type CallOptions, type LanguageModel } from "./model.ts";
import { promptOf } from "./prompt.ts";
import { readAnswer } from "./stream.ts";

export type BuiltinConfig = {
  /** The tables `[providers.*]` of config.toml. */
  providers: Readonly<Record<string, ProviderConfig>>;
  /** Where the variables that hold keys are looked up. */
  env: Env;
  limits?: Partial<FetchLimits>;
  /** How fast the demo speaks. */
  pace?: Pace;
  now?: () => number;
};

const MODELS_MAX = 100;

export function builtinDriver(config: BuiltinConfig): Driver {
  // The demo needs no configuration: it is what answers before there is one.
  const providers: BuiltinConfig["providers"] = { demo: { kind: "demo" }, ...config.providers };
  const fetch = patientFetch({ ...USUAL_FETCH_LIMITS, ...config.limits });
  const now = config.now ?? Date.now;
  const models = new Map<string, Promise<LanguageModel>>();
  /** Kept, since the SDK puts its schemas together anew for each: by name, which means one endpoint for good. */
  const open = (name: string, endpoint: Endpoint) => {
    const known = models.get(name);
    if (known) return known;
    if (models.size >= MODELS_MAX) models.clear();
    const model = openModel(endpoint, fetch);
    models.set(name, model);
    model.catch(() => models.delete(name)); // the caller hears why
    return model;
  };
  return {
    async prepare(model) {
      const located = locateModel(model, providers, config.env);
      if (!located.ok || located.kind === "demo") return; // the step will tell what is wrong
      await open(model, located.endpoint);
    },
    async step(request, said, signal) {
      if (signal.aborted) return { outcome: "stopped" };
      const located = locateModel(request.model, providers, config.env);
      if (!located.ok) return { outcome: "failed", fault: located.fault };
      if (located.kind === "demo") return demoStep(request, said, signal, config.pace ?? usualPace);
      const { endpoint } = located;
      return callModel({ endpoint, request, said, signal, open: () => open(request.model, endpoint), now });
    },
  };
}

type Call = {
  endpoint: Endpoint;
  request: StepRequest;
  said: (delta: Delta) => void;
  signal: AbortSignal;
  open: () => Promise<LanguageModel>;
  now: () => number;
};

async function callModel({ endpoint, request, said, signal, open, now }: Call): Promise<StepResult> {
  const options: CallOptions = {
    ...callSettings(endpoint.kind, request.session),
    prompt: promptOf(request, endpoint.kind),
    tools: request.tools.map(({ name, description, parameters }) => ({
      type: "function",
      name,
      description,
      inputSchema: parameters,
    })),
    abortSignal: signal,
  };
  const failed = (error: unknown): StepResult =>
    signal.aborted ? { outcome: "stopped" } : { outcome: "failed", fault: faultOf(error, endpoint, now) };

  const opened = await open()
    .then((model) => model.doStream(options))
    .catch((error: unknown) => ({ error }));
  if ("error" in opened) return failed(opened.error);
  const answer = await readAnswer(opened.stream, request.step, said);
  switch (answer.end) {
    case "finished": {
      const { message, usage, finish } = answer;
      return { outcome: "completed", message, usage, finish };
    }
    case "error":
      return failed(answer.error);
    case "cut":
      if (signal.aborted) return { outcome: "stopped" };
      return { outcome: "failed", fault: unfinishedFault(endpoint, opened.response?.headers) };
    case "too_long":
      return { outcome: "failed", fault: protocolFault(endpoint, "sent more than any answer can be.") };
  }
}

/** A page of HTML ends early too, but it never was an answer. */
function unfinishedFault(endpoint: Endpoint, headers: Record<string, string> | undefined): ProviderFault {
  const type = headers?.["content-type"] ?? "";
  if (type.startsWith("text/event-stream")) return cutFault(endpoint);
  return protocolFault(
    endpoint,
    `answered with ${type || "something untyped"}, not with a stream of events; check its baseUrl.`,
  );
}
