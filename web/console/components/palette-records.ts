// What the palette finds by name: everything that the reader may list, with where it is shown.

import { useQuery } from "@tanstack/react-query";
import { listQueues } from "../api/cases";
import { listOperatorRoles } from "../api/operators";
import { listRoles } from "../api/roles";
import { isOperator } from "../api/session";
import { detailHref, type Place, placeHref } from "../router";
import { useAccount, useConsole } from "../session-context";
import { useTexts } from "../texts";
import type { IconName } from "./icon";
import { useAccounts, useApplications, useOperators, useOrganisations } from "./tenant-links";

export interface PaletteRecord {
  id: string;
  /** What it is called, and what else it is found by. */
  name: string;
  also: string;
  /** What it is, in the reader's words. */
  kind: string;
  icon: IconName;
  href: string;
}

/** As many as are shown of what was found. */
export const MAX_RECORDS = 12;

export function useRecords(): PaletteRecord[] {
  const ofOperator = useOperatorRecords();
  const ofMember = useMemberRecords();
  return [...ofOperator, ...ofMember];
}

function useOperatorRecords(): PaletteRecord[] {
  const texts = useTexts();
  const { session, may } = useConsole();
  const organisations = useOrganisations().data ?? [];
  const applications = useApplications().data ?? [];
  const accounts = useAccounts().data ?? [];
  const operators = useOperators().data ?? [];
  const roles = useQuery({
    queryKey: ["operator-roles"],
    queryFn: listOperatorRoles,
    enabled: isOperator(session) && may("operators:manage"),
  });
  if (!isOperator(session)) {
    return [];
  }
  const { tenants } = texts;
  return [
    ...organisations.map(({ id, name }) => {
      const href = detailHref("organisation", id);
      return { id, name, also: id, kind: tenants.organisation, icon: "organisations" as const, href };
    }),
    ...applications.map(({ id, name }) => {
      const href = detailHref("application", id);
      return { id, name, also: id, kind: tenants.application, icon: "applications" as const, href };
    }),
    ...(may("keys:manage")
      ? applications.map(({ id, name }) => {
          const href = detailHref("application", id, { new: "true" });
          return { id: `key-${id}`, name, also: tenants.newKey, kind: tenants.newKey, icon: "key" as const, href };
        })
      : []),
    ...accounts.map(({ id, name }) => {
      const href = detailHref("account", id);
      return { id, name, also: id, kind: tenants.account, icon: "cases" as const, href };
    }),
    ...operators.map(({ id, name, email }) => {
      const href = detailHref("operator", id);
      return { id, name, also: `${email} ${id}`, kind: texts.operators.operator, icon: "members" as const, href };
    }),
    ...(roles.data?.roles ?? []).map(({ id, name }) => {
      const href = placeHref("operator-roles", { role: id });
      return { id, name, also: id, kind: texts.operators.role, icon: "roles" as const, href };
    }),
  ];
}

function useMemberRecords(): PaletteRecord[] {
  const texts = useTexts();
  const account = useAccount();
  const { may } = useConsole();
  const isMember = account !== undefined;
  const members = useQuery({
    queryKey: ["members"],
    queryFn: async () => (await account?.members()) ?? [],
    enabled: isMember && may("members:manage"),
  });
  const roles = useQuery({ queryKey: ["roles"], queryFn: listRoles, enabled: isMember && may("roles:manage") });
  const queues = useQuery({ queryKey: ["queues"], queryFn: listQueues, enabled: isMember && may("queues:manage") });
  if (!isMember) {
    return [];
  }
  return [
    ...(members.data ?? []).map(({ id, username, email }) => {
      const href = placeHref("members", { member: id });
      const also = `${email} ${id}`;
      return { id, name: username, also, kind: texts.members.ordinary, icon: "members" as const, href };
    }),
    ...(roles.data ?? []).map(({ id, name }) => {
      const href = placeHref("roles", { role: id });
      return { id, name, also: id, kind: texts.members.role, icon: "roles" as const, href };
    }),
    ...(queues.data?.queues ?? []).map(({ id, name }) => {
      const href = placeHref("queues", { queue: id });
      return { id, name, also: id, kind: texts.cases.queue, icon: "queues" as const, href };
    }),
  ];
}

/** Places where something new can be made by everybody who may open them. */
export const NEW_PLACES = [
  "organisations",
  "applications",
  "operators",
  "operator-roles",
  "roles",
  "queues",
] as const satisfies readonly Place[];
