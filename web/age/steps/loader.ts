// Loads the module of each kind of step when it is needed.

import { importAgain } from "../../shared/import-again";
import { InterruptedError } from "../../shared/network";
import type { Step, StepKind, StepProblem } from "../session";
import type { RenderStep, StepContext, StepView } from "./step";

const LOADERS: { [Kind in StepKind]: () => Promise<{ render: RenderStep<Kind> }> } = {
  camera: () => import("./face"),
  frames: () => import("./face"),
  form: () => import("./form"),
  code: () => import("./code"),
  choose: () => import("./choose"),
  redirect: () => import("./redirect"),
  document: () => import("./document"),
  wallet: () => import("./wallet"),
  passkey: () => import("./passkey"),
  token: () => import("./token"),
  app_code: () => import("./app-code"),
  wait: () => import("./wait"),
};

/** The loaded modules; each renders steps of its own kind. */
const renderers = new Map<StepKind, RenderStep<never>>();

export async function loadStep(kind: StepKind): Promise<void> {
  const { render } = await loadModule<{ render: RenderStep<never> }>(LOADERS[kind]);
  renderers.set(kind, render);
}

/** Renders a step; `undefined` if its module is not loaded. */
export function renderStep(context: StepContext, step: Step, problem: StepProblem | undefined): StepView | undefined {
  const render = renderers.get(step.kind) as RenderStep<StepKind> | undefined;
  return render?.(context, step, problem);
}

let forgetScreen: typeof import("../forget-results") | undefined;

/** The same for the page that deletes kept results. */
export async function loadForgetScreen(): Promise<void> {
  forgetScreen = await loadModule(() => import("../forget-results"));
}

export function loadedForgetScreen(): typeof import("../forget-results") | undefined {
  return forgetScreen;
}

/** A module that cannot be loaded is treated as a network failure. */
async function loadModule<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await importAgain(load);
  } catch {
    throw new InterruptedError("network");
  }
}
