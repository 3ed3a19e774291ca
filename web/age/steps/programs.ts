// What shows each kind of step; none of it is fetched before it is needed.

import { Interrupted } from "../../shared/network";
import type { StepKind } from "./kinds";
import type { Render } from "./step";

const PROGRAMS: Record<StepKind, () => Promise<{ render: Render }>> = {
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

const loaded = new Map<string, Render>();

/** Fetches the program of a kind. */
export async function loadStep(kind: StepKind): Promise<void> {
  const { render } = await fetched(PROGRAMS[kind]);
  loaded.set(kind, render);
}

/** The program of a kind that was fetched. */
export function stepOf(kind: string): Render | undefined {
  return loaded.get(kind);
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
