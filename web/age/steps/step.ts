// The interface between the page and the views of steps. Each kind of step has a file, which is loaded when it is needed.

import { button } from "../../shared/dom";
import { row } from "../../shared/elements";
import type { OnProgress } from "../../shared/network";
import type { Screen } from "../../shared/page-layout";
import {
  availableMethods,
  type MethodName,
  type Session,
  type Step,
  type StepKind,
  type StepProblem,
  type StepsByKind,
} from "../session";
import type { StepInput } from "../state-machine/state";
import { interpolate, lookup, type Texts } from "../texts";

/** What the view of a step can use. Calls have no effect once another view is on the screen. */
export interface StepContext {
  readonly texts: Texts;
  readonly session: Session;
  readonly method: MethodName | undefined;
  readonly sdkId: string;
  /** The URL of this page up to `/age`. */
  readonly base: string;
  /** The URL that opens the session in a tab of its own. */
  readonly sessionUrl: string;
  readonly embedded: boolean;
  show(screen: Screen): void;
  say(words: string): void;
  /** Sends an input, or what a function makes; the page handles the response. */
  answer(input: StepInput, progress?: OnProgress): void;
  /** Polls the attempt at this interval. */
  poll(ms: number): void;
  /** Polls the session at this interval while another tab does the step. */
  watch(ms: number): void;
  /** Calls `act` later, unless the screen has changed by then. */
  later(ms: number, act: () => void): void;
  /** Registers a callback for when the view is left. */
  onLeave(act: () => void): void;
  /** Goes back to the choice of methods. */
  backToChoice(): void;
  /** Hands over to a phone; `undefined` where that is not possible. */
  readonly handOff: (() => void) | undefined;
  /** Stores the return state and goes to a provider. */
  goToProvider(url: string): void;
  /** Stores the return state for a wallet, which may return in another tab. */
  expectWalletReturn(): void;
  /** The path of a tab that goes to a provider on behalf of an embedded page. */
  redirectTabPath(url: string): string;
}

export interface StepView {
  /** Shows the step again, perhaps with a problem; the step has the same kind. Without this method the view is rendered
   * anew. */
  update?(step: Step, problem: StepProblem | undefined): void;
}

/** Renders steps of a kind. */
export type RenderStep<Kind extends StepKind> = (
  context: StepContext,
  step: StepsByKind[Kind],
  problem: StepProblem | undefined,
) => StepView;

/** The button to other methods, in a row of its own. */
export function otherMethodRow(context: StepContext): HTMLElement {
  return row(otherMethodButton(context, { class: "quiet" }));
}

/** The button to other methods; without another method, to the beginning of this one. */
export function otherMethodButton(
  { session, method, texts, backToChoice: other }: StepContext,
  look = {},
): HTMLElement {
  const others = availableMethods(session).some((one) => one.method !== method);
  return button(others ? texts.otherWay : texts.startOver, other, look);
}

/** A problem in words, with the number of attempts left. */
export function problemText({ code, remaining }: StepProblem, { problems, start }: Texts): string {
  const words = lookup(problems, code) ?? problems.TRY_AGAIN;
  return typeof remaining === "number" ? `${words} ${interpolate(start.left, { count: remaining })}` : words;
}
