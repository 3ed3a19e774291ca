// Applications of all organisations, and a new one.

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components/Button";
import { createApplication, FEATURES, type Feature } from "../api/tenants";
import { ApplicationTable } from "../components/application-table";
import { DialogFrame } from "../components/dialog-frame";
import { Choice, Field } from "../components/field";
import { isNewAsked, NewButton } from "../components/new-button";
import { ScopeBoxes } from "../components/scope-boxes";
import { Answer, Screen } from "../components/screen";
import { useApplications, useOrganisations } from "../components/tenant-links";
import { detailHref, navigate, placeHref, replaceRoute } from "../router";
import { useAction } from "../session-context";
import { useTexts } from "../texts";
import type { ScreenProps } from ".";

const MAX_NAME_CHARS = 200;

export function ApplicationsScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { tenants: words } = texts;
  const answer = useApplications();
  return (
    <Screen
      heading={texts.nav.applications}
      wide
      actions={
        <NewButton
          label={words.newApplication}
          onPress={() => replaceRoute(placeHref("applications", { new: "true" }))}
        />
      }
    >
      <Answer query={answer}>
        {(applications) => (
          <ApplicationTable applications={applications} empty={words.noApplications} withOrganisation />
        )}
      </Answer>
      {isNewAsked(query) && (
        <ApplicationDialog
          organisation={query.get("organisation") ?? ""}
          close={() => replaceRoute(placeHref("applications"))}
        />
      )}
    </Screen>
  );
}

function ApplicationDialog({ organisation, close }: { organisation: string; close(): void }) {
  const { tenants: words } = useTexts();
  const act = useAction();
  const client = useQueryClient();
  const organisations = useOrganisations().data;
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState(organisation);
  const [features, setFeatures] = useState<readonly Feature[]>(FEATURES);
  const [billing, setBilling] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    let id = "";
    const made = await act(async () => {
      id = await createApplication({
        name,
        organisation_id: chosen || (organisations?.[0]?.id ?? ""),
        features: [...features],
        ...(billing.trim() === "" ? {} : { billing_source_id: billing }),
      });
    }, words.applicationCreated);
    if (made) {
      await client.invalidateQueries({ queryKey: ["applications"] });
      navigate(detailHref("application", id));
    }
  };
  return (
    <DialogFrame heading={words.newApplication} close={close}>
      <form onSubmit={(event) => void submit(event)}>
        <Field
          label={words.name}
          value={name}
          onChange={setName}
          minLength={1}
          maxLength={MAX_NAME_CHARS}
          isRequired
          autoFocus
        />
        {organisations ? (
          <Choice
            label={words.organisation}
            value={chosen || (organisations[0]?.id ?? "")}
            options={organisations.map((one) => [one.id, one.name] as const)}
            onChange={setChosen}
          />
        ) : (
          // Whoever may not see organisations knows the id of theirs.
          <Field
            label={words.organisationId}
            value={chosen}
            onChange={setChosen}
            minLength={36}
            maxLength={36}
            isRequired
          />
        )}
        <ScopeBoxes
          label={words.features}
          all={FEATURES}
          words={words.featureNames}
          chosen={features}
          onChange={setFeatures}
        />
        <Field label={words.billing} value={billing} onChange={setBilling} maxLength={MAX_NAME_CHARS} />
        <div className="answers">
          <Button className="button primary" type="submit">
            {words.create}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
