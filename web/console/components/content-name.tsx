// How a content is called, and whether it is archived; where a moderation stands.

import type { Content, Moderation } from "../api/account";
import { lookup, type Texts, useTexts } from "../texts";
import { Badge, type Tone } from "./screen";

export function contentName(texts: Texts, { title, type }: Pick<Content, "title" | "type">): string {
  return title || (lookup(texts.evidence.types, type) ?? type);
}

export function ContentStateBadge({ content: { archived } }: { content: Pick<Content, "archived"> }) {
  const { contents } = useTexts();
  return <Badge tone={archived ? "warn" : "plain"}>{archived ? contents.archived : contents.live}</Badge>;
}

const STATE_TONES: Readonly<Record<Moderation["state"], Tone>> = {
  QUEUED: "plain",
  RUNNING: "plain",
  STOPPING: "warn",
  STOPPED: "warn",
  DONE: "good",
  FAILED: "bad",
};

export function ModerationBadge({ state }: { state: Moderation["state"] }) {
  const { contents } = useTexts();
  return <Badge tone={STATE_TONES[state]}>{contents.states[state]}</Badge>;
}

/** What a moderation looks for, as words. */
export function checkWords({ contents }: Texts, { checks }: Pick<Moderation, "checks">): string {
  return checks.map(({ check_type }) => lookup(contents.checks, check_type) ?? check_type).join(", ");
}
