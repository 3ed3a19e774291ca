// Who is signed in: sessions of members and of operators, and how they begin.

import type { ConsolePaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { call, RefusedError } from "./client";

type SessionPath = ConsolePaths["/console/session"];

/** Who is signed in: a member of an account, or an operator of the installation. */
export type Session = ResponseOf<SessionPath["get"]>;
/** Which member is signed in, to which account, and what they may do there. */
export type MemberSession = Extract<Session, { account: unknown }>;
/** Which operator is signed in. */
export type OperatorSession = Extract<Session, { operator: unknown }>;
/** What a member may be allowed: in the moderation interface, and in the console beyond it. */
export type Scope = MemberSession["scopes"][number];
export type ConsoleScope = MemberSession["console_scopes"][number];
export type MemberScope = Scope | ConsoleScope;
/** What an operator may be allowed. */
export type OperatorScope = OperatorSession["operator"]["scopes"][number];
export type AnyScope = MemberScope | OperatorScope;
/** What somebody comes in with. */
export type SignInCredential = RequestBodyOf<SessionPath["post"]>;

/** The session that the browser has; nothing where it has none. */
export async function resumeSession(): Promise<Session | undefined> {
  try {
    return await call<SessionPath["get"]>("GET", "/console/session");
  } catch (error) {
    if (error instanceof RefusedError && error.status === 401) {
      return undefined;
    }
    throw error;
  }
}

/** Begins a session: by a link, an invitation, a passkey, a password, or a place that was chosen. */
export function beginSession(credential: SignInCredential): Promise<Session> {
  return call<SessionPath["post"]>("POST", "/console/session", credential);
}

export function isOperator(session: Session): session is OperatorSession {
  return "operator" in session;
}

/** Who it is: as another member, or as an operator, somebody is another person. */
export function personOf(session: Session): string {
  return isOperator(session) ? session.operator.id : `${session.account.id} ${session.member.id}`;
}

/** What they are called. */
export function personName(session: Session): string {
  return isOperator(session) ? session.operator.name : session.member.username;
}

/** What is missing until anything else can be done: a second factor that they have, or one that they have to set up. */
export function missingFactor({ second_factor: state }: Session): "required" | "enrolment-required" | undefined {
  return state === "required" || state === "enrolment-required" ? state : undefined;
}

/** Whether a session is over where the browser has this one now: none, somebody else's, or one that lacks a second factor that it did
 * not lack before, or lacks it no more. */
export function isOver(session: Session, now: Session | undefined): boolean {
  return now === undefined || personOf(now) !== personOf(session) || missingFactor(now) !== missingFactor(session);
}

export async function endSession(): Promise<void> {
  await call("DELETE", "/console/session");
}

/** All that a member may be allowed in the moderation interface, in its order. */
export const SCOPES: readonly Scope[] = [
  "contents:list",
  "contents:manage",
  "contents:moderate",
  "contents:view",
  "contents:reports:list",
  "contents:reports:moderate",
  "flags:manage",
  "members:manage",
  "moderations:manage",
  "moderations:view",
  "notifications:manage",
  "notifications:view",
  "profiles:list",
  "profiles:manage",
  "profiles:view",
  "reports:view",
  "reports:manage",
];

/** All that a member may be allowed in the console beyond that. */
export const CONSOLE_SCOPES: readonly ConsoleScope[] = [
  "documents:review",
  "ages:review",
  "cases:manage",
  "queues:manage",
  "sessions:view",
  "sessions:manage",
  "keys:manage",
  "deliveries:view",
  "deliveries:manage",
  "sandbox:manage",
  "usage:view",
  "roles:manage",
  "audit:view",
];

/** All that an operator may be allowed. */
export const OPERATOR_SCOPES: readonly OperatorScope[] = [
  "organisations:manage",
  "applications:manage",
  "keys:manage",
  "settings:view",
  "models:view",
  "providers:test",
  "trust:manage",
  "jobs:manage",
  "deliveries:manage",
  "sessions:view",
  "sessions:manage",
  "operators:manage",
  "audit:view",
  "health:view",
  "deletions:approve",
];
