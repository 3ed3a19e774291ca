// What members have of the console: roles of the account, scopes besides, and where members are signed in.

import type { ConsolePaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { call } from "./client";
import type { OpenSession } from "./credentials";

type List = ConsolePaths["/console/roles"]["get"];
type Create = ConsolePaths["/console/roles"]["post"];
type Change = ConsolePaths["/console/roles/{roleId}"]["put"];
type Members = ConsolePaths["/console/members"]["get"];
type Grant = ConsolePaths["/console/members/{memberId}/console-scopes"]["put"];
type Sessions = ConsolePaths["/console/members/{memberId}/sessions"]["get"];

export type MemberRole = ResponseOf<List>["roles"][number];
export type MemberRoleInput = RequestBodyOf<Create>;
/** A member, with what they have of the console. */
export type ConsoleMember = ResponseOf<Members>["members"][number];
export type ConsoleGrantInput = RequestBodyOf<Grant>;

const role = (id: string) => `/console/roles/${encodeURIComponent(id)}`;
const member = (id: string, rest: string) => `/console/members/${encodeURIComponent(id)}/${rest}`;

export async function listRoles(): Promise<MemberRole[]> {
  return (await call<List>("GET", "/console/roles")).roles;
}

export async function createRole(input: MemberRoleInput): Promise<void> {
  await call<Create>("POST", "/console/roles", input);
}

export async function changeRole(id: string, input: MemberRoleInput): Promise<void> {
  await call<Change>("PUT", role(id), input);
}

export async function deleteRole(id: string): Promise<void> {
  await call("DELETE", role(id));
}

export async function listConsoleMembers(): Promise<ConsoleMember[]> {
  return (await call<Members>("GET", "/console/members")).members;
}

export async function setConsoleScopes(id: string, input: ConsoleGrantInput): Promise<void> {
  await call<Grant>("PUT", member(id, "console-scopes"), input);
}

export async function listMemberSessions(id: string): Promise<OpenSession[]> {
  return (await call<Sessions>("GET", member(id, "sessions"))).sessions;
}

export async function endMemberSessions(id: string): Promise<void> {
  await call("DELETE", member(id, "sessions"));
}
