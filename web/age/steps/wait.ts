// Step: wait for a provider, or for a document to be read.

import { paragraph, spinner } from "../../shared/elements";
import type { StepsByKind } from "../session";
import { otherMethodRow, type StepContext, type StepView } from "./step";

/** Limits of the poll interval that the server asks for. */
const [LEAST_MS, MOST_MS] = [500, 15_000];

export function render(context: StepContext, step: StepsByKind["wait"]): StepView {
  const { heading, body } = context.texts.wait;
  context.show({ heading, body: [spinner(), paragraph(body), otherMethodRow(context)], spoken: body });
  context.poll(pollIntervalMs(step));
  return {};
}

export function pollIntervalMs({
  poll_ms,
}: StepsByKind["wait"] | StepsByKind["wallet"] | StepsByKind["app_code"]): number {
  return Math.min(MOST_MS, Math.max(LEAST_MS, poll_ms));
}
