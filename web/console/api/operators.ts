// The operators of the installation: who they are, what they may do, whom they invite.

import type { ConsolePaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { call } from "./client";

type List = ConsolePaths["/console/operators"]["get"];
type SetGrant = ConsolePaths["/console/operators/{operatorId}"]["put"];
type Enable = ConsolePaths["/console/operators/{operatorId}/enable"]["post"];
type Invitations = ConsolePaths["/console/operators/invitations"];
type Roles = ConsolePaths["/console/operator-roles"];
type ChangeRole = ConsolePaths["/console/operator-roles/{roleId}"]["put"];

export type Operator = ResponseOf<List>["operators"][number];
export type OperatorGrantInput = RequestBodyOf<SetGrant>;
export type OperatorInvitation = ResponseOf<Invitations["get"]>["invitations"][number];
export type OperatorInvitationInput = RequestBodyOf<Invitations["post"]>;
/** The roles that every installation has, and those that this one made. */
export type OperatorRoles = ResponseOf<Roles["get"]>;
export type OperatorRole = OperatorRoles["roles"][number];
export type OperatorRoleInput = RequestBodyOf<Roles["post"]>;

const operator = (id: string, rest = "") => `/console/operators/${encodeURIComponent(id)}${rest}`;
const role = (id: string) => `/console/operator-roles/${encodeURIComponent(id)}`;

export async function listOperators(): Promise<Operator[]> {
  return (await call<List>("GET", "/console/operators")).operators;
}

/** Answers whether it was done at once; otherwise another operator must approve it. */
export async function setOperatorGrant(id: string, input: OperatorGrantInput): Promise<boolean> {
  const pending: ResponseOf<SetGrant> | undefined = await call<SetGrant>("PUT", operator(id), input);
  return pending === undefined;
}

/** Lets an operator in again, or in no more. Answers whether it was done at once; otherwise another one must approve it. */
export async function enableOperator(id: string, enabled: boolean): Promise<boolean> {
  const path = operator(id, enabled ? "/enable" : "/disable");
  const pending: ResponseOf<Enable> | undefined = await call<Enable>("POST", path);
  return pending === undefined;
}

export async function listOperatorInvitations(): Promise<OperatorInvitation[]> {
  return (await call<Invitations["get"]>("GET", "/console/operators/invitations")).invitations;
}

/** Answers whether it was done at once; otherwise another operator must approve it. */
export async function inviteOperator(input: OperatorInvitationInput): Promise<boolean> {
  return "id" in (await call<Invitations["post"]>("POST", "/console/operators/invitations", input));
}

export async function revokeOperatorInvitation(id: string): Promise<void> {
  await call("DELETE", operator("invitations", `/${encodeURIComponent(id)}`));
}

export function listOperatorRoles(): Promise<OperatorRoles> {
  return call<Roles["get"]>("GET", "/console/operator-roles");
}

export async function createOperatorRole(input: OperatorRoleInput): Promise<void> {
  await call<Roles["post"]>("POST", "/console/operator-roles", input);
}

/** Answers whether it was done at once; otherwise another operator must approve it. */
export async function changeOperatorRole(id: string, input: OperatorRoleInput): Promise<boolean> {
  const pending: ResponseOf<ChangeRole> | undefined = await call<ChangeRole>("PUT", role(id), input);
  return pending === undefined;
}

export async function deleteOperatorRole(id: string): Promise<void> {
  await call("DELETE", role(id));
}
