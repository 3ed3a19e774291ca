// What a step's screen may ask of the page, and what the page may ask of it. Each kind has a file; none is fetched before
// it is needed.

import { button } from "../../shared/dom";
import type { Progress } from "../../shared/network";
import { row } from "../../shared/pieces";
import type { Screen } from "../../shared/stage";
import { type MethodName, type Problem, type Session, type Step, type StepKind, type Steps, usable } from "../session";
import type { Input } from "../state-machine/state";
import { fill, lookup, type Texts } from "../texts";

/** What the view of a step knows and may do, while it is the one on the screen. */
export interface StepContext {
  readonly texts: Texts;
  readonly session: Session;
  readonly method: MethodName | undefined;
  readonly sdkId: string;
  /** The address of this page, up to `/age`. */
  readonly base: string;
  /** The session's address for a tab of its own. */
  readonly tab: string;
  readonly embedded: boolean;
  show(screen: Screen): void;
  say(words: string): void;
  /** Sends an input, or what makes one; what comes of it is the page's matter. */
  answer(input: Input, progress?: Progress): void;
  /** Asks after so many milliseconds, and again and again, whether it is done. */
  poll(ms: number): void;
  /** Looks after the session every so many milliseconds, while another tab does the step. */
  watch(ms: number): void;
  /** Does something later, unless the person is elsewhere by then. */
  later(ms: number, act: () => void): void;
  /** Is called when the person goes on, whatever to. */
  leaving(act: () => void): void;
  /** Goes back to the choice of methods. */
  other(): void;
  /** Hands over to a phone, where that can be. */
  readonly follow: (() => void) | undefined;
  /** Goes to a provider, and keeps what brings the person back. */
  depart(url: string): void;
  /** A wallet may bring the person back, in whichever tab of this browser it opens. */
  awaitReturn(): void;
  /** The address of a tab that goes to a provider for this page, which is in a frame. */
  errand(url: string): string;
}

/** A step on the screen. */
export interface StepView {
  /** The step stands again, perhaps with a problem; without this it is shown anew. It is of the kind that is shown. */
  again?(step: Step, problem: Problem | undefined): void;
}

/** What shows steps of a kind. */
export type Render<Kind extends StepKind> = (
  context: StepContext,
  step: Steps[Kind],
  problem: Problem | undefined,
) => StepView;

/** The way to other methods, which stands on every step. */
export function elsewhere(context: StepContext): HTMLElement {
  return row(otherWay(context, { class: "quiet" }));
}

/** The same among other ways on; where there is no other method, back to the beginning of this one. */
export function otherWay({ session, method, texts, other }: StepContext, look = {}): HTMLElement {
  const others = usable(session).some((one) => one.method !== method);
  return button(others ? texts.otherWay : texts.startOver, other, look);
}

/** A problem in words, with the attempts that are left. */
export function worded({ code, remaining }: Problem, { problems, start }: Texts): string {
  const words = lookup(problems, code) ?? problems.TRY_AGAIN;
  return typeof remaining === "number" ? `${words} ${fill(start.left, { count: remaining })}` : words;
}
