// What an application is called, whose it is and what it may use: asked for a new one, and to change one that is there.

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { type Application, changeApplication, createApplication, FEATURES, type Feature } from "../api/tenants";
import { changesOf } from "../changes";
import { useSubmit } from "../one-at-a-time";
import { detailHref, navigate, useIsShown } from "../router";
import { useAction } from "../session-context";
import { useTexts } from "../texts";
import { useUnsent } from "../unsent";
import { DialogFrame } from "./dialog-frame";
import { Choice, Field } from "./field";
import { ScopeBoxes } from "./scope-boxes";
import { useOrganisations } from "./tenant-links";

const MAX_NAME_CHARS = 200;

interface ApplicationDialogProps {
  /** The one to change; without it, one is created. */
  application?: Application;
  /** The organisation of a new one, where that is clear. */
  organisation: string;
  close(): void;
}

/** What stands in the fields at first. */
function givenOf(application: Application | undefined, organisation: string) {
  const { name = "", state = "ENABLED", organisation_id, billing_source_id, features = FEATURES } = application ?? {};
  return {
    name,
    state,
    organisation_id: organisation_id ?? organisation,
    features: FEATURES.filter((one) => features.includes(one)),
    billing_source_id: billing_source_id ?? "",
  };
}

export function ApplicationDialog({ application, organisation, close }: ApplicationDialogProps) {
  const { tenants: words } = useTexts();
  const act = useAction();
  const client = useQueryClient();
  const organisations = useOrganisations().data;
  const isShown = useIsShown();
  const of = `of application ${application?.id ?? "new"}`;
  const [given] = useState(() => givenOf(application, organisation));
  const [name, setName] = useUnsent(`name ${of}`, given.name);
  const [state, setState] = useUnsent(`state ${of}`, given.state);
  const [chosen, setChosen] = useUnsent(`organisation ${of}`, given.organisation_id);
  const [features, setFeatures] = useUnsent<readonly Feature[]>(`features ${of}`, given.features);
  const [billing, setBilling] = useUnsent(`billing ${of}`, given.billing_source_id);
  // A new one belongs to the first, unless another is chosen; one that is there belongs to what it belongs to.
  const owner = chosen || (application ? "" : (organisations?.[0]?.id ?? ""));
  const submit = useSubmit(async () => {
    let id = application?.id ?? "";
    const input = { name, organisation_id: owner, features: [...features], billing_source_id: billing.trim() };
    const isDone = await act(
      async () => {
        if (application) {
          const changed = changesOf({ ...input, state }, given);
          // What is absent stays: empty, it is billed to the organisation.
          const emptied = changed.billing_source_id === "" ? { billing_source_id: owner } : {};
          await changeApplication(application.id, { ...changed, ...emptied });
        } else {
          const { billing_source_id, ...others } = input;
          id = await createApplication({ ...others, ...(billing_source_id === "" ? {} : { billing_source_id }) });
        }
      },
      application ? words.applicationChanged : words.applicationCreated,
    );
    if (!isDone) {
      return;
    }
    await client.invalidateQueries({ queryKey: ["applications"] });
    if (!isShown()) {
      return;
    }
    if (application) {
      close();
    } else {
      navigate(detailHref("application", id));
    }
  });
  return (
    <DialogFrame heading={application ? words.changeApplication : words.newApplication} close={close}>
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
        {application && (
          <Choice<Application["state"]>
            label={words.status}
            value={state}
            options={[
              ["ENABLED", words.applicationStates.ENABLED],
              ["DISABLED", words.applicationStates.DISABLED],
            ]}
            onChange={setState}
          />
        )}
        {organisations ? (
          <Choice
            label={words.organisation}
            value={owner}
            options={[
              ...organisations.map((one) => [one.id, one.name] as const),
              // It belongs to none, or to one that was deleted.
              ...(organisations.some(({ id }) => id === owner) || !(application || owner)
                ? []
                : [[owner, owner || words.noOrganisation] as const]),
            ]}
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
            {application ? words.save : words.create}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
