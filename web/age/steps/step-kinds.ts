// The kinds of steps that the page can show.

import type { Step, StepKind } from "../session";

const KNOWN_KINDS: Record<StepKind, true> = {
  camera: true,
  frames: true,
  form: true,
  code: true,
  choose: true,
  redirect: true,
  document: true,
  wallet: true,
  passkey: true,
  token: true,
  app_code: true,
  wait: true,
};

/** The kind of a step, if the page can show it. A page that was open during an update of the server may get newer kinds. */
export function knownKind({ kind }: Step): StepKind | undefined {
  return Object.hasOwn(KNOWN_KINDS, kind) ? kind : undefined;
}
