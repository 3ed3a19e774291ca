// Which screens there are, who may open them, and how they are fetched: each when it is opened.

import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import type { AnyScope } from "../api/session";
import type { IconName } from "../components/icon";
import type { Detail, Place, ScreenName } from "../router";

export interface ScreenProps {
  /** What a detail is of. */
  id: string;
  /** How a list is filtered and turned. */
  query: URLSearchParams;
}

type Component = LazyExoticComponent<ComponentType<ScreenProps>>;

export const PLACE_GROUPS = ["review", "lead", "account"] as const;
type PlaceGroup = (typeof PLACE_GROUPS)[number];

export interface PlaceEntry {
  place: Place;
  group: PlaceGroup;
  icon: IconName;
  /** Leads there, after `g`. */
  key: string;
  /** Whoever has one of these may open it; everybody where there is none. */
  scopes: readonly AnyScope[];
}

/** Each lets somebody decide one kind of case. */
const REVIEWER_SCOPES: readonly AnyScope[] = ["notifications:manage", "documents:review", "ages:review"];

/** The places of the console, in the order of its navigation. */
export const PLACE_ENTRIES: readonly PlaceEntry[] = [
  { place: "queue", group: "review", icon: "queue", key: "q", scopes: REVIEWER_SCOPES },
  { place: "cases", group: "review", icon: "cases", key: "c", scopes: [...REVIEWER_SCOPES, "cases:manage"] },
  { place: "inbox", group: "review", icon: "inbox", key: "i", scopes: ["notifications:view"] },
  { place: "mine", group: "review", icon: "mine", key: "m", scopes: [] },
  { place: "people", group: "review", icon: "people", key: "p", scopes: ["profiles:list"] },
  { place: "contents", group: "review", icon: "contents", key: "n", scopes: ["contents:list"] },
  { place: "quality", group: "lead", icon: "quality", key: "y", scopes: ["queues:manage"] },
  { place: "queues", group: "lead", icon: "queues", key: "u", scopes: ["queues:manage"] },
  { place: "members", group: "account", icon: "members", key: "e", scopes: ["members:manage"] },
];

/** What is needed to see a detail. */
export const DETAIL_SCOPES: Readonly<Record<Detail, readonly AnyScope[]>> = {
  notification: [],
  profile: ["profiles:view"],
  case: [],
  content: ["contents:view"],
  moderation: ["moderations:view"],
};

export const SCREENS: Readonly<Record<ScreenName, Component>> = {
  queue: lazy(async () => ({ default: (await import("./queue")).QueueScreen })),
  cases: lazy(async () => ({ default: (await import("./cases")).CasesScreen })),
  case: lazy(async () => ({ default: (await import("./case")).CaseScreen })),
  inbox: lazy(async () => ({ default: (await import("./inbox")).InboxScreen })),
  mine: lazy(async () => ({ default: (await import("./inbox")).MineScreen })),
  notification: lazy(async () => ({ default: (await import("./notification")).NotificationScreen })),
  people: lazy(async () => ({ default: (await import("./people")).PeopleScreen })),
  profile: lazy(async () => ({ default: (await import("./person")).PersonScreen })),
  contents: lazy(async () => ({ default: (await import("./contents")).ContentsScreen })),
  content: lazy(async () => ({ default: (await import("./content")).ContentScreen })),
  moderation: lazy(async () => ({ default: (await import("./moderation")).ModerationScreen })),
  quality: lazy(async () => ({ default: (await import("./quality")).QualityScreen })),
  queues: lazy(async () => ({ default: (await import("./queues")).QueuesScreen })),
  members: lazy(async () => ({ default: (await import("./members")).MembersScreen })),
};
