// How the installation is and what it is made of: figures of the last hour, settings, models, providers, trust and keys.

import type { ConsolePaths, ResponseOf } from "../../shared/schema";
import { call, fetchFile } from "./client";

type GetHealth = ConsolePaths["/console/health"]["get"];
type ListSettings = ConsolePaths["/console/settings"]["get"];
type ListModels = ConsolePaths["/console/models"]["get"];
type ListReports = ConsolePaths["/console/reports"]["get"];
type ListProviders = ConsolePaths["/console/providers"]["get"];
type TestProvider = ConsolePaths["/console/providers/{provider}/test"]["post"];
type GetTrustList = ConsolePaths["/console/trust-list"]["get"];
type ListKeys = ConsolePaths["/console/signing-keys"]["get"];

export type Health = ResponseOf<GetHealth>;
export type HealthSeries = Health["series"][number];
export type Setting = ResponseOf<ListSettings>["settings"][number];
export type Model = ResponseOf<ListModels>["models"][number];
export type AccuracyReport = ResponseOf<ListReports>["reports"][number];
export type Provider = ResponseOf<ListProviders>["providers"][number];
export type ProviderTestOutcome = ResponseOf<TestProvider>;
export type TrustList = ResponseOf<GetTrustList>;
export type TrustedIssuer = TrustList["issuers"][number];
export type KeyLives = ResponseOf<ListKeys>;
export type SigningKey = KeyLives["signing_keys"][number];
export type DataKey = KeyLives["data_keys"][number];
export type ServerProcess = KeyLives["processes"][number];

export const SETTING_SOURCES = ["environment", "file", "default"] as const satisfies readonly Setting["source"][];

export function getHealth(): Promise<Health> {
  return call<GetHealth>("GET", "/console/health");
}

export async function listSettings(): Promise<Setting[]> {
  return (await call<ListSettings>("GET", "/console/settings")).settings;
}

export async function listModels(): Promise<Model[]> {
  return (await call<ListModels>("GET", "/console/models")).models;
}

export async function listReports(): Promise<AccuracyReport[]> {
  return (await call<ListReports>("GET", "/console/reports")).reports;
}

export function fetchReport(name: string): Promise<Blob> {
  return fetchFile(`/console/reports/${encodeURIComponent(name)}`);
}

export async function listProviders(): Promise<Provider[]> {
  return (await call<ListProviders>("GET", "/console/providers")).providers;
}

/** Asks a service; it may take half a minute. */
export function testProvider(name: string): Promise<ProviderTestOutcome> {
  return call<TestProvider>("POST", `/console/providers/${encodeURIComponent(name)}/test`);
}

export function getTrustList(): Promise<TrustList> {
  return call<GetTrustList>("GET", "/console/trust-list");
}

export function listKeyLives(): Promise<KeyLives> {
  return call<ListKeys>("GET", "/console/signing-keys");
}
