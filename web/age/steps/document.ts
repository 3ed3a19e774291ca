// Step: photograph a document on this server's document verification page, in a frame.

import { make } from "../../shared/dom";
import { paragraph } from "../../shared/elements";
import type { StepsByKind } from "../session";
import { otherMethodRow, type StepContext, type StepView } from "./step";

/** How often the server is polled, whatever messages the frame posts. */
const POLL_MS = 3000;

export function render(context: StepContext, step: StepsByKind["document"]): StepView {
  const { document: say, unknown } = context.texts;
  const url = sameOriginUrl(step.url);
  if (!url) {
    context.show({ heading: unknown.heading, body: [paragraph(unknown.body), otherMethodRow(context)] });
    return {};
  }
  const frame = make("iframe", { src: url, allow: "camera; clipboard-write", title: say.frame, class: "inner" });
  const hear = ({ source, origin, data }: MessageEvent) => {
    if (source === frame.contentWindow && origin === location.origin && isEndMessage(data)) {
      context.poll(0);
    }
  };
  window.addEventListener("message", hear);
  context.onLeave(() => window.removeEventListener("message", hear));
  context.show({ heading: say.heading, body: [frame, otherMethodRow(context)] });
  context.poll(POLL_MS);
  return {};
}

/** A URL of this origin; the content security policy allows no other in frames. */
export function sameOriginUrl(address: string): string | undefined {
  try {
    const url = new URL(address, location.href);
    return url.origin === location.origin ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function isEndMessage(data: unknown): boolean {
  const { eventType } = (data ?? {}) as { eventType?: unknown };
  return eventType === "SUCCESS" || eventType === "ERROR";
}
