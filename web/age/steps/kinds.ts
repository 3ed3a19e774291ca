// The kinds of steps that the page can show.

import type { Step, StepKind } from "../session";

const KINDS: Record<StepKind, true> = {
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
  wait: true,
};

/** What kind of step it is, where the page can show it. One that was open before its server was renewed may be told of
 * kinds that came later. */
export function kindOf({ kind }: Step): StepKind | undefined {
  return Object.hasOwn(KINDS, kind) ? kind : undefined;
}
