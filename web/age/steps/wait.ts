// Somebody else is at work: a provider, or a reader of documents.

import { busy, paragraph } from "../../shared/pieces";
import type { Steps } from "../session";
import { elsewhere, type StepContext, type StepView } from "./step";

/** How often it is asked at least and at most, in milliseconds. */
const [LEAST_MS, MOST_MS] = [500, 15_000];

export function render(context: StepContext, step: Steps["wait"]): StepView {
  const { heading, body } = context.texts.wait;
  context.show({ heading, body: [busy(), paragraph(body), elsewhere(context)], spoken: body });
  context.poll(pace(step));
  return {};
}

/** How often a step wants to be asked after. */
export function pace({ poll_ms }: Steps["wait"] | Steps["wallet"]): number {
  return Math.min(MOST_MS, Math.max(LEAST_MS, poll_ms));
}
