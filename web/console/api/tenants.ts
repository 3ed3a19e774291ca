// What belongs to whom: organisations, their applications, the keys of these, and accounts; and what needs a second operator.

import type { ConsolePaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { call } from "./client";

type Organisations = ConsolePaths["/console/organisations"];
type Applications = ConsolePaths["/console/applications"];
type ChangeOrganisation = ConsolePaths["/console/organisations/{organisationId}"]["patch"];
type ChangeApplication = ConsolePaths["/console/applications/{applicationId}"]["patch"];
type Keys = ConsolePaths["/console/applications/{applicationId}/keys"];
type RevokeKey = ConsolePaths["/console/applications/{applicationId}/keys/{keyId}"]["delete"];
type Accounts = ConsolePaths["/console/accounts"]["get"];
type DeleteAccount = ConsolePaths["/console/accounts/{accountId}"]["delete"];
type Approvals = ConsolePaths["/console/approvals"]["get"];

export type Organisation = ResponseOf<Organisations["get"]>["organisations"][number];
export type Application = ResponseOf<Applications["get"]>["applications"][number];
export type ApplicationInput = RequestBodyOf<Applications["post"]>;
export type Feature = Application["features"][number];
export type ApiKey = ResponseOf<Keys["get"]>["keys"][number];
export type ApiKeyInput = RequestBodyOf<Keys["post"]>;
/** A key, this once; it works at once, or when another operator has approved it. */
export type NewApiKey = ResponseOf<Keys["post"]>;
export type AccountRecord = ResponseOf<Accounts>["accounts"][number];
export type Approval = ResponseOf<Approvals>["approvals"][number];

/** The interfaces that an application may use, in the order of the documents. */
export const FEATURES: readonly Feature[] = ["moderation", "image-ai", "proof-of-age", "identity", "ages"];

const keys = (application: string) => `/console/applications/${encodeURIComponent(application)}/keys`;
const approval = (id: string, word: string) => `/console/approvals/${encodeURIComponent(id)}/${word}`;

export async function listOrganisations(): Promise<Organisation[]> {
  return (await call<Organisations["get"]>("GET", "/console/organisations")).organisations;
}

/** Answers the id of what was created. */
export async function createOrganisation(name: string): Promise<string> {
  return (await call<Organisations["post"]>("POST", "/console/organisations", { name })).id;
}

export async function listApplications(): Promise<Application[]> {
  return (await call<Applications["get"]>("GET", "/console/applications")).applications;
}

export async function createApplication(input: ApplicationInput): Promise<string> {
  return (await call<Applications["post"]>("POST", "/console/applications", input)).id;
}

/** What is not named stays as it is. */
export async function changeApplication(id: string, change: RequestBodyOf<ChangeApplication>): Promise<void> {
  await call<ChangeApplication>("PATCH", `/console/applications/${encodeURIComponent(id)}`, change);
}

export async function changeOrganisation(id: string, change: RequestBodyOf<ChangeOrganisation>): Promise<void> {
  await call<ChangeOrganisation>("PATCH", `/console/organisations/${encodeURIComponent(id)}`, change);
}

export async function listKeys(application: string): Promise<ApiKey[]> {
  return (await call<Keys["get"]>("GET", keys(application))).keys;
}

export function createKey(application: string, input: ApiKeyInput): Promise<NewApiKey> {
  return call<Keys["post"]>("POST", keys(application), input);
}

/** Answers whether it was done at once; otherwise another operator must approve it. */
export async function revokeKey(application: string, key: string): Promise<boolean> {
  const pending: ResponseOf<RevokeKey> | undefined = await call<RevokeKey>(
    "DELETE",
    `${keys(application)}/${encodeURIComponent(key)}`,
  );
  return pending === undefined;
}

export async function listAccounts(): Promise<AccountRecord[]> {
  return (await call<Accounts>("GET", "/console/accounts")).accounts;
}

/** Answers whether it was done at once; otherwise another operator must approve it. */
export async function deleteAccount(id: string): Promise<boolean> {
  const pending: ResponseOf<DeleteAccount> | undefined = await call<DeleteAccount>(
    "DELETE",
    `/console/accounts/${encodeURIComponent(id)}`,
  );
  return pending === undefined;
}

export async function listApprovals(): Promise<Approval[]> {
  return (await call<Approvals>("GET", "/console/approvals")).approvals;
}

export async function approveRequest(id: string): Promise<void> {
  await call("POST", approval(id, "approve"));
}

export async function refuseRequest(id: string): Promise<void> {
  await call("POST", approval(id, "refuse"));
}
