// A document is photographed on this server's own page for documents, in a frame.

import { make } from "../../shared/dom";
import { paragraph } from "../../shared/pieces";
import type { Steps } from "../session";
import { elsewhere, type StepContext, type StepView } from "./step";

/** How often it is asked whether the document is done, whatever the frame says. */
const ASK_MS = 3000;

export function render(context: StepContext, step: Steps["document"]): StepView {
  const { document: say, unknown } = context.texts;
  const url = ownPage(step.url);
  if (!url) {
    context.show({ heading: unknown.heading, body: [paragraph(unknown.body), elsewhere(context)] });
    return {};
  }
  const frame = make("iframe", { src: url, allow: "camera; clipboard-write", title: say.frame, class: "inner" });
  const hear = ({ source, origin, data }: MessageEvent) => {
    if (source === frame.contentWindow && origin === location.origin && isEnding(data)) {
      context.poll(0);
    }
  };
  window.addEventListener("message", hear);
  context.leaving(() => window.removeEventListener("message", hear));
  context.show({ heading: say.heading, body: [frame, elsewhere(context)] });
  context.poll(ASK_MS);
  return {};
}

/** The address of a page of this server; the content policy allows no other either. */
export function ownPage(address: string): string | undefined {
  try {
    const url = new URL(address, location.href);
    return url.origin === location.origin ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function isEnding(data: unknown): boolean {
  const { eventType } = (data ?? {}) as { eventType?: unknown };
  return eventType === "SUCCESS" || eventType === "ERROR";
}
