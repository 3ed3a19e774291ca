// Which screens there are, who may open them, and how they are fetched: each when it is opened.

import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { type AnyScope, isOperator, type MemberScope, type OperatorScope, type Session } from "../api/session";
import type { IconName } from "../components/icon";
import type { Detail, Place, ScreenName } from "../router";

export interface ScreenProps {
  /** What a detail is of. */
  id: string;
  /** How a list is filtered and turned. */
  query: URLSearchParams;
}

type Component = LazyExoticComponent<ComponentType<ScreenProps>>;

export const PLACE_GROUPS = ["review", "lead", "account", "tenants", "verification", "installation", "server"] as const;
/** What is one's own stands beside one's name, and not among the places. */
type PlaceGroup = (typeof PLACE_GROUPS)[number] | "own";

/** Who may open something: members, and operators, who have one of these; all of them where there is none. Without a list, none of
 * them may. */
export interface Audience {
  member?: readonly MemberScope[];
  operator?: readonly OperatorScope[];
}

export interface PlaceEntry extends Audience {
  place: Place;
  group: PlaceGroup;
  icon: IconName;
  /** Leads there, after `g`. No two that somebody may open have the same. */
  key: string;
}

/** Each lets somebody decide one kind of case. */
const REVIEWER_SCOPES: readonly MemberScope[] = ["notifications:manage", "documents:review", "ages:review"];

/** Who sees sessions of document and of age verification. */
const SESSIONS: Audience = { member: ["sessions:view"], operator: ["sessions:view"] };

/** Who sees messages to applications' servers. */
const DELIVERIES: Audience = { member: ["deliveries:view", "deliveries:manage"], operator: ["deliveries:manage"] };

/** The places of the console, in the order of its navigation. */
export const PLACE_ENTRIES: readonly PlaceEntry[] = [
  { place: "queue", group: "review", icon: "queue", key: "q", member: REVIEWER_SCOPES },
  { place: "cases", group: "review", icon: "cases", key: "c", member: [...REVIEWER_SCOPES, "cases:manage"] },
  { place: "inbox", group: "review", icon: "inbox", key: "i", member: ["notifications:view"] },
  { place: "mine", group: "review", icon: "mine", key: "m", member: [] },
  { place: "people", group: "review", icon: "people", key: "p", member: ["profiles:list"] },
  { place: "contents", group: "review", icon: "contents", key: "n", member: ["contents:list"] },
  { place: "quality", group: "lead", icon: "quality", key: "y", member: ["queues:manage"] },
  { place: "queues", group: "lead", icon: "queues", key: "u", member: ["queues:manage"] },
  { place: "members", group: "account", icon: "members", key: "e", member: ["members:manage"] },
  { place: "roles", group: "account", icon: "roles", key: "r", member: ["roles:manage"] },
  { place: "audit", group: "account", icon: "audit", key: "l", member: ["audit:view"] },
  { place: "organisations", group: "tenants", icon: "organisations", key: "o", operator: ["organisations:manage"] },
  { place: "applications", group: "tenants", icon: "applications", key: "a", operator: ["applications:manage"] },
  { place: "accounts", group: "tenants", icon: "cases", key: "c", operator: ["organisations:manage"] },
  { place: "sessions", group: "verification", icon: "clock", key: "s", ...SESSIONS },
  { place: "funnel", group: "verification", icon: "funnel", key: "f", ...SESSIONS },
  { place: "deliveries", group: "verification", icon: "deliveries", key: "w", ...DELIVERIES },
  {
    place: "integration",
    group: "verification",
    icon: "key",
    key: "b",
    member: ["keys:manage", "usage:view", "sandbox:manage"],
  },
  { place: "approvals", group: "installation", icon: "approvals", key: "d", operator: [] },
  { place: "operators", group: "installation", icon: "members", key: "p", operator: ["operators:manage"] },
  { place: "operator-roles", group: "installation", icon: "roles", key: "r", operator: ["operators:manage"] },
  { place: "jobs", group: "installation", icon: "jobs", key: "j", operator: ["jobs:manage"] },
  { place: "audit", group: "installation", icon: "audit", key: "l", operator: ["audit:view"] },
  { place: "health", group: "server", icon: "health", key: "h", operator: ["health:view"] },
  { place: "settings", group: "server", icon: "settings", key: "e", operator: ["settings:view"] },
  { place: "models", group: "server", icon: "models", key: "m", operator: ["models:view"] },
  { place: "providers", group: "server", icon: "providers", key: "v", operator: ["providers:test"] },
  { place: "trust", group: "server", icon: "trust", key: "t", operator: ["settings:view", "trust:manage"] },
  { place: "security", group: "own", icon: "key", key: "k", member: [], operator: [] },
];

/** Who may see a detail. */
export const DETAIL_AUDIENCES: Readonly<Record<Detail, Audience>> = {
  notification: { member: [] },
  profile: { member: ["profiles:view"] },
  case: { member: [] },
  content: { member: ["contents:view"] },
  moderation: { member: ["moderations:view"] },
  organisation: { operator: ["organisations:manage"] },
  application: { operator: ["applications:manage", "keys:manage"] },
  account: { operator: ["organisations:manage"] },
  operator: { operator: ["operators:manage"] },
  session: SESSIONS,
  delivery: DELIVERIES,
};

/** Whether who is signed in may open it. */
export function isOpenTo({ member, operator }: Audience, session: Session, may: (scope: AnyScope) => boolean): boolean {
  const scopes: readonly AnyScope[] | undefined = isOperator(session) ? operator : member;
  return scopes !== undefined && (scopes.length === 0 || scopes.some(may));
}

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
  roles: lazy(async () => ({ default: (await import("./roles")).RolesScreen })),
  organisations: lazy(async () => ({ default: (await import("./organisations")).OrganisationsScreen })),
  organisation: lazy(async () => ({ default: (await import("./organisations")).OrganisationScreen })),
  applications: lazy(async () => ({ default: (await import("./applications")).ApplicationsScreen })),
  application: lazy(async () => ({ default: (await import("./application")).ApplicationScreen })),
  accounts: lazy(async () => ({ default: (await import("./accounts")).AccountsScreen })),
  account: lazy(async () => ({ default: (await import("./accounts")).AccountScreen })),
  approvals: lazy(async () => ({ default: (await import("./approvals")).ApprovalsScreen })),
  operators: lazy(async () => ({ default: (await import("./operators")).OperatorsScreen })),
  operator: lazy(async () => ({ default: (await import("./operators")).OperatorScreen })),
  "operator-roles": lazy(async () => ({ default: (await import("./operator-roles")).OperatorRolesScreen })),
  jobs: lazy(async () => ({ default: (await import("./jobs")).JobsScreen })),
  sessions: lazy(async () => ({ default: (await import("./sessions")).SessionsScreen })),
  session: lazy(async () => ({ default: (await import("./session")).SessionScreen })),
  deliveries: lazy(async () => ({ default: (await import("./deliveries")).DeliveriesScreen })),
  delivery: lazy(async () => ({ default: (await import("./delivery")).DeliveryScreen })),
  audit: lazy(async () => ({ default: (await import("./audit")).AuditScreen })),
  funnel: lazy(async () => ({ default: (await import("./funnel")).FunnelScreen })),
  health: lazy(async () => ({ default: (await import("./health")).HealthScreen })),
  settings: lazy(async () => ({ default: (await import("./settings")).SettingsScreen })),
  models: lazy(async () => ({ default: (await import("./models")).ModelsScreen })),
  providers: lazy(async () => ({ default: (await import("./providers")).ProvidersScreen })),
  trust: lazy(async () => ({ default: (await import("./trust")).TrustScreen })),
  integration: lazy(async () => ({ default: (await import("./integration")).IntegrationScreen })),
  security: lazy(async () => ({ default: (await import("./security")).SecurityScreen })),
};
