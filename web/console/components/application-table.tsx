// Applications as a table: of one organisation, or of all.

import type { Application } from "../api/tenants";
import { detailHref, navigate } from "../router";
import { useTexts } from "../texts";
import type { DataColumn } from "./data-table";
import { ResourceTable } from "./resource-table";
import { Badge, Moment } from "./screen";
import { useOrganisations } from "./tenant-links";

interface ApplicationTableProps {
  applications: readonly Application[];
  empty: string;
  withOrganisation: boolean;
}

export function ApplicationTable({ applications, empty, withOrganisation }: ApplicationTableProps) {
  const texts = useTexts();
  const { tenants: words } = texts;
  const organisations = useOrganisations().data;
  const organisationOf = ({ organisation_id }: Application) =>
    organisations?.find(({ id }) => id === organisation_id)?.name ?? organisation_id ?? "";
  const columns: DataColumn<Application>[] = [
    {
      id: "name",
      heading: words.name,
      cell: ({ name }) => <span className="strong">{name}</span>,
      sortBy: ({ name }) => name.toLowerCase(),
    },
    ...(withOrganisation
      ? [
          {
            id: "organisation",
            heading: words.organisation,
            cell: (application: Application) => organisationOf(application) || words.noOrganisation,
            sortBy: organisationOf,
          },
        ]
      : []),
    {
      id: "state",
      heading: words.status,
      cell: ({ state }) => <ApplicationBadge state={state} />,
      sortBy: ({ state }) => state,
    },
    {
      id: "features",
      heading: words.features,
      cell: ({ features }) => <span className="soft">{featureWords(features, words.featureNames) || texts.none}</span>,
    },
    {
      id: "created",
      heading: words.created,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  return (
    <ResourceTable
      label={texts.nav.applications}
      columns={columns}
      rows={applications}
      idOf={({ id }) => id}
      textOf={(application) => `${application.name} ${application.id} ${organisationOf(application)}`}
      empty={empty}
      onOpen={({ id }) => navigate(detailHref("application", id))}
    />
  );
}

export function featureWords(
  features: Application["features"],
  words: Record<Application["features"][number], string>,
): string {
  return features.map((feature) => words[feature]).join(", ");
}

export function ApplicationBadge({ state }: Pick<Application, "state">) {
  const { tenants: words } = useTexts();
  return <Badge tone={state === "ENABLED" ? "good" : "bad"}>{words.applicationStates[state]}</Badge>;
}
