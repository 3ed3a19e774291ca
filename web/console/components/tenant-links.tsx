// What an id of a tenant, or of an operator, is called, with the way there; the id itself where the reader may not know its name.

import { useQuery } from "@tanstack/react-query";
import { listOperators } from "../api/operators";
import { listAccounts, listApplications, listOrganisations } from "../api/tenants";
import { type Detail, detailHref } from "../router";
import { DETAIL_AUDIENCES, isOpenTo } from "../screens";
import { useConsole } from "../session-context";

/** The lists that names come from, each fetched once for all that need it. */
export function useOrganisations() {
  const { may } = useConsole();
  return useQuery({
    queryKey: ["organisations"],
    queryFn: listOrganisations,
    enabled: may("organisations:manage"),
  });
}

export function useApplications() {
  const { may } = useConsole();
  return useQuery({ queryKey: ["applications"], queryFn: listApplications, enabled: may("applications:manage") });
}

export function useAccounts() {
  const { may } = useConsole();
  return useQuery({ queryKey: ["accounts"], queryFn: listAccounts, enabled: may("organisations:manage") });
}

export function useOperators() {
  const { may } = useConsole();
  return useQuery({ queryKey: ["operators"], queryFn: listOperators, enabled: may("operators:manage") });
}

interface IdProps {
  id: string | null | undefined;
}

export function OrganisationLink({ id }: IdProps) {
  return <NamedLink detail="organisation" id={id} all={useOrganisations().data} />;
}

export function ApplicationLink({ id }: IdProps) {
  return <NamedLink detail="application" id={id} all={useApplications().data} />;
}

export function AccountLink({ id }: IdProps) {
  return <NamedLink detail="account" id={id} all={useAccounts().data} />;
}

export function OperatorLink({ id }: IdProps) {
  return <NamedLink detail="operator" id={id} all={useOperators().data} />;
}

interface NamedLinkProps extends IdProps {
  detail: Detail;
  all: readonly { id: string; name: string }[] | undefined;
}

function NamedLink({ detail, id, all }: NamedLinkProps) {
  const { session, may } = useConsole();
  if (!id) {
    return null;
  }
  const name = all?.find((one) => one.id === id)?.name;
  const shown = name ?? <code>{id}</code>;
  return isOpenTo(DETAIL_AUDIENCES[detail], session, may) ? <a href={detailHref(detail, id)}>{shown}</a> : shown;
}
