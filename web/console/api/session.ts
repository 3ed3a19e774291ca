// Who is signed in: sessions, and the links by which they begin.

import type { ConsolePaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { call, RefusedError } from "./client";

type SessionPath = ConsolePaths["/console/session"];

type Answer = ResponseOf<SessionPath["get"]>;
/** Which member is signed in, to which account, and what they may do there. */
export type Session = Extract<Answer, { account: unknown }>;
/** What a member may be allowed: in the moderation interface, and in the console beyond it. */
export type Scope = Session["scopes"][number];
export type AnyScope = Scope | Session["console_scopes"][number];

/** The session that the browser has; nothing where it has none. */
export async function resumeSession(): Promise<Session | undefined> {
  try {
    return memberSession(await call<SessionPath["get"]>("GET", "/console/session"));
  } catch (error) {
    if (error instanceof RefusedError && error.status === 401) {
      return undefined;
    }
    throw error;
  }
}

/** Begins a session by what was in a link. */
export async function beginSession(link: RequestBodyOf<SessionPath["post"]>): Promise<Session> {
  return memberSession(await call<SessionPath["post"]>("POST", "/console/session", link));
}

/** Somebody is signed in whom this page has nothing to show. */
export class UnservedError extends Error {
  constructor(readonly reason: "operator" | "secondFactor") {
    super(reason);
  }
}

/** States of a second factor in which nothing else is allowed. */
const UNFINISHED: readonly unknown[] = ["required", "enrolment-required"];

function memberSession(answer: Answer): Session {
  if ("second_factor" in answer && UNFINISHED.includes(answer.second_factor)) {
    throw new UnservedError("secondFactor");
  }
  if (!("account" in answer)) {
    throw new UnservedError("operator");
  }
  return answer;
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
