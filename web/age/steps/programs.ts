// What shows each kind of step; none of it is fetched before it is needed.

import { Interrupted } from "../../shared/network";
import type { Problem, Step, StepKind } from "../session";
import type { Render, StepContext, StepView } from "./step";

const PROGRAMS: { [Kind in StepKind]: () => Promise<{ render: Render<Kind> }> } = {
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
  wait: () => import("./wait"),
};

/** What was fetched; each takes steps of its own kind. */
const loaded = new Map<StepKind, Render<never>>();

/** Fetches the program of a kind. */
export async function loadStep(kind: StepKind): Promise<void> {
  const { render } = await fetched<{ render: Render<never> }>(PROGRAMS[kind]);
  loaded.set(kind, render);
}

/** Shows a step, where the program of its kind was fetched. */
export function renderStep(context: StepContext, step: Step, problem: Problem | undefined): StepView | undefined {
  const render = loaded.get(step.kind) as Render<StepKind> | undefined;
  return render?.(context, step, problem);
}

let forgetting: typeof import("../forgetting") | undefined;

/** The same for the screen where what is kept under a passkey is forgotten. */
export async function loadForgetting(): Promise<void> {
  forgetting = await fetched(() => import("../forgetting"));
}

export function forgettingOf(): typeof import("../forgetting") | undefined {
  return forgetting;
}

/** A program that cannot be fetched is as much as a server that cannot be reached. */
async function fetched<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    throw new Interrupted("network");
  }
}
