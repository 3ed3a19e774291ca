// Who is signed in: sessions, and the links by which they begin.

import type { ConsolePaths, ModerationPaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { call, RefusedError } from "./client";

type SessionPath = ConsolePaths["/console/session"];

/** Who is signed in, to which account, and what they may do there. */
export type Session = ResponseOf<SessionPath["get"]> & { console_scopes: ConsoleScope[] };
type Members = ResponseOf<ModerationPaths["/accounts/{accountId}/members"]["get"]>;
/** What a member may be allowed. */
export type Scope = Members["members"][number]["scopes"][number];

/** What a member may do in the console beyond the moderation interface. */
export type ConsoleScope = "documents:review" | "ages:review" | "cases:manage" | "queues:manage";
export type AnyScope = Scope | ConsoleScope;

/** The session that the browser has; nothing where it has none. */
export async function resumeSession(): Promise<Session | undefined> {
  try {
    return (await call<SessionPath["get"]>("GET", "/console/session")) as Session;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 401) {
      return undefined;
    }
    throw error;
  }
}

/** Begins a session by what was in a link. */
export function beginSession(link: RequestBodyOf<SessionPath["post"]>): Promise<Session> {
  return call<SessionPath["post"]>("POST", "/console/session", link) as Promise<Session>;
}

export async function endSession(): Promise<void> {
  await call("DELETE", "/console/session");
}

/** Has a link sent to an address, where it is a member's. */
export async function sendLink(email: string): Promise<void> {
  await call<ConsolePaths["/console/sign-in"]["post"]>("POST", "/console/sign-in", { email });
}

/** All that a member may be allowed, in the interface's order. */
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
