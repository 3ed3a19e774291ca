// Organisations: the tenants of the installation, and the applications of each.

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { changeOrganisation, createOrganisation, type Organisation } from "../api/tenants";
import { changesOf } from "../changes";
import { ApplicationTable } from "../components/application-table";
import { CopyField } from "../components/copy-field";
import type { DataColumn } from "../components/data-table";
import { DialogFrame } from "../components/dialog-frame";
import { Choice, Field } from "../components/field";
import { ChangeButton, isNewAsked, NewButton } from "../components/new-button";
import { ResourceTable } from "../components/resource-table";
import { Answer, Badge, Card, Empty, Fact, Facts, Moment, Screen } from "../components/screen";
import { useApplications, useOrganisations } from "../components/tenant-links";
import { useSubmit } from "../one-at-a-time";
import { detailHref, navigate, placeHref, replaceRoute, useIsShown } from "../router";
import { useAction, useConsole } from "../session-context";
import { useFormat, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import type { ScreenProps } from ".";

const MAX_NAME_CHARS = 200;

export function OrganisationsScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { tenants: words } = texts;
  const { may } = useConsole();
  const format = useFormat();
  const answer = useOrganisations();
  const applications = useApplications().data;
  const columns: DataColumn<Organisation>[] = [
    {
      id: "name",
      heading: words.name,
      cell: ({ name }) => <span className="strong">{name}</span>,
      sortBy: ({ name }) => name.toLowerCase(),
    },
    {
      id: "status",
      heading: words.status,
      cell: ({ status }) => <OrganisationBadge status={status} />,
      sortBy: ({ status }) => status,
    },
    ...(may("applications:manage")
      ? [
          {
            id: "applications",
            heading: texts.nav.applications,
            cell: ({ id }: Organisation) => format.number(countOf(id)),
            sortBy: ({ id }: Organisation) => countOf(id),
          },
        ]
      : []),
    {
      id: "created",
      heading: words.created,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  const countOf = (id: string) => (applications ?? []).filter((one) => one.organisation_id === id).length;
  return (
    <Screen
      heading={texts.nav.organisations}
      wide
      actions={
        <NewButton
          label={words.newOrganisation}
          onPress={() => replaceRoute(placeHref("organisations", { new: "true" }))}
        />
      }
    >
      <Answer query={answer}>
        {(organisations) => (
          <ResourceTable
            label={texts.nav.organisations}
            columns={columns}
            rows={organisations}
            idOf={({ id }) => id}
            textOf={({ id, name }) => `${name} ${id}`}
            empty={words.noOrganisations}
            onOpen={({ id }) => navigate(detailHref("organisation", id))}
          />
        )}
      </Answer>
      {isNewAsked(query) && <OrganisationDialog close={() => replaceRoute(placeHref("organisations"))} />}
    </Screen>
  );
}

function OrganisationBadge({ status }: Pick<Organisation, "status">) {
  const { tenants: words } = useTexts();
  return <Badge tone={status === "ACTIVE" ? "good" : "bad"}>{words.organisationStates[status]}</Badge>;
}

/** Asks for a new organisation, or for the changes of one that is there. */
function OrganisationDialog({ organisation, close }: { organisation?: Organisation; close(): void }) {
  const { tenants: words } = useTexts();
  const act = useAction();
  const client = useQueryClient();
  const isShown = useIsShown();
  const which = organisation?.id ?? "new";
  const [given] = useState({ name: organisation?.name ?? "", status: organisation?.status ?? "ACTIVE" });
  const [name, setName] = useUnsent(`name of organisation ${which}`, given.name);
  const [status, setStatus] = useUnsent(`status of organisation ${which}`, given.status);
  const submit = useSubmit(async () => {
    let id = "";
    const isDone = await act(
      async () => {
        if (organisation) {
          await changeOrganisation(organisation.id, changesOf({ name, status }, given));
        } else {
          id = await createOrganisation(name);
        }
      },
      organisation ? words.organisationChanged : words.organisationCreated,
    );
    if (!isDone) {
      return;
    }
    await client.invalidateQueries({ queryKey: ["organisations"] });
    if (!isShown()) {
      return;
    }
    if (organisation) {
      close();
    } else {
      navigate(detailHref("organisation", id));
    }
  });
  return (
    <DialogFrame heading={organisation ? words.changeOrganisation : words.newOrganisation} close={close} narrow>
      <form onSubmit={submit}>
        <Field
          label={words.name}
          value={name}
          onChange={setName}
          minLength={1}
          maxLength={MAX_NAME_CHARS}
          isRequired
          autoFocus
        />
        {organisation && (
          <Choice<Organisation["status"]>
            label={words.status}
            value={status}
            options={[
              ["ACTIVE", words.organisationStates.ACTIVE],
              ["SUSPENDED", words.organisationStates.SUSPENDED],
            ]}
            onChange={setStatus}
          />
        )}
        <div className="answers">
          <Button className="button primary" type="submit">
            {organisation ? words.save : words.create}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

export function OrganisationScreen({ id }: ScreenProps) {
  const texts = useTexts();
  const { tenants: words, copy } = texts;
  const { may } = useConsole();
  const organisations = useOrganisations();
  const applications = useApplications();
  const [isChanging, setIsChanging] = useUnsent(`change of organisation ${id}`, false);
  const organisation = organisations.data?.find((one) => one.id === id);
  return (
    <Screen
      heading={organisation?.name ?? words.organisation}
      back={{ href: placeHref("organisations"), label: texts.nav.organisations }}
      wide
      {...(organisation
        ? {
            actions: (
              <>
                <ChangeButton label={words.change} onPress={() => setIsChanging(true)} />
                {may("applications:manage") && (
                  <NewButton
                    label={words.newApplication}
                    onPress={() => navigate(placeHref("applications", { new: "true", organisation: id }))}
                  />
                )}
              </>
            ),
          }
        : {})}
    >
      <Answer query={organisations}>
        {() =>
          organisation ? (
            <Card heading={words.about}>
              <Facts>
                <Fact term={words.status}>
                  <OrganisationBadge status={organisation.status} />
                </Fact>
                <Fact term={words.created}>
                  <Moment at={organisation.created_at} />
                </Fact>
              </Facts>
              <CopyField label={copy.id} value={id} />
            </Card>
          ) : (
            <Empty>{texts.errors.nothingHere}</Empty>
          )
        }
      </Answer>
      {organisation && may("applications:manage") && (
        <Answer query={applications}>
          {(all) => (
            <ApplicationTable
              applications={all.filter((one) => one.organisation_id === id)}
              empty={words.noApplicationsHere}
              withOrganisation={false}
            />
          )}
        </Answer>
      )}
      {organisation && isChanging && (
        <OrganisationDialog organisation={organisation} close={() => setIsChanging(false)} />
      )}
    </Screen>
  );
}
