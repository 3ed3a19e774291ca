// Which screens there are, who may open them, and how they are fetched: each when it is opened.

import type { ComponentType } from "react";
import { type AnyScope, isOperator, type MemberScope, type OperatorScope, type Session } from "../api/session";
import { BrokenScreen } from "../components/boundary";
import { fetched } from "../components/fetched";
import type { IconName } from "../components/icon";
import type { Detail, Place, ScreenName } from "../router";

export interface ScreenProps {
  /** What a detail is of. */
  id: string;
  /** How a list is filtered and turned. */
  query: URLSearchParams;
}

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
  application: { operator: ["applications:manage", "keys:manage", "health:view"] },
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

type Screen = ComponentType<ScreenProps>;

/** The screen of this name in a module that is fetched when the screen is opened. */
function screen<Name extends string>(load: () => Promise<Record<Name, Screen>>, name: Name): Screen {
  return fetched<ScreenProps, Record<Name, Screen>>(load, (module) => module[name], { Failed: BrokenScreen });
}

export const SCREENS: Readonly<Record<ScreenName, Screen>> = {
  queue: screen(() => import("./queue"), "QueueScreen"),
  cases: screen(() => import("./cases"), "CasesScreen"),
  case: screen(() => import("./case"), "CaseScreen"),
  inbox: screen(() => import("./inbox"), "InboxScreen"),
  mine: screen(() => import("./inbox"), "MineScreen"),
  notification: screen(() => import("./notification"), "NotificationScreen"),
  people: screen(() => import("./people"), "PeopleScreen"),
  profile: screen(() => import("./person"), "PersonScreen"),
  contents: screen(() => import("./contents"), "ContentsScreen"),
  content: screen(() => import("./content"), "ContentScreen"),
  moderation: screen(() => import("./moderation"), "ModerationScreen"),
  quality: screen(() => import("./quality"), "QualityScreen"),
  queues: screen(() => import("./queues"), "QueuesScreen"),
  members: screen(() => import("./members"), "MembersScreen"),
  roles: screen(() => import("./roles"), "RolesScreen"),
  organisations: screen(() => import("./organisations"), "OrganisationsScreen"),
  organisation: screen(() => import("./organisations"), "OrganisationScreen"),
  applications: screen(() => import("./applications"), "ApplicationsScreen"),
  application: screen(() => import("./application"), "ApplicationScreen"),
  accounts: screen(() => import("./accounts"), "AccountsScreen"),
  account: screen(() => import("./accounts"), "AccountScreen"),
  approvals: screen(() => import("./approvals"), "ApprovalsScreen"),
  operators: screen(() => import("./operators"), "OperatorsScreen"),
  operator: screen(() => import("./operators"), "OperatorScreen"),
  "operator-roles": screen(() => import("./operator-roles"), "OperatorRolesScreen"),
  jobs: screen(() => import("./jobs"), "JobsScreen"),
  sessions: screen(() => import("./sessions"), "SessionsScreen"),
  session: screen(() => import("./session"), "SessionScreen"),
  deliveries: screen(() => import("./deliveries"), "DeliveriesScreen"),
  delivery: screen(() => import("./delivery"), "DeliveryScreen"),
  audit: screen(() => import("./audit"), "AuditScreen"),
  funnel: screen(() => import("./funnel"), "FunnelScreen"),
  health: screen(() => import("./health"), "HealthScreen"),
  settings: screen(() => import("./settings"), "SettingsScreen"),
  models: screen(() => import("./models"), "ModelsScreen"),
  providers: screen(() => import("./providers"), "ProvidersScreen"),
  trust: screen(() => import("./trust"), "TrustScreen"),
  integration: screen(() => import("./integration"), "IntegrationScreen"),
  security: screen(() => import("./security"), "SecurityScreen"),
};
