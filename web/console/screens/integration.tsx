// What somebody who builds on an application sees of it: its keys, how much it uses, its requests, and its sandbox.

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { advanceSandboxClock } from "../api/usage";
import { Keys } from "../components/application-keys";
import { ApplicationUse } from "../components/application-use";
import { CopyField } from "../components/copy-field";
import { Choice } from "../components/field";
import { isNewAsked, NewButton } from "../components/new-button";
import { SandboxAgeOutcome, SandboxDocuments } from "../components/sandbox-answers";
import { Card, Screen } from "../components/screen";
import { useSubmit } from "../one-at-a-time";
import { placeHref, replaceRoute } from "../router";
import { useAction, useSession } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

/** How far the clock of the sandbox can be put forward, in seconds: an hour, a day, a week, thirty days, a year. */
const STEPS = ["3600", "86400", "604800", "2592000", "31536000"] as const;

export function IntegrationScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { session, may } = useSession();
  const application = session.application_id;
  return (
    <Screen
      heading={texts.nav.integration}
      wide
      {...(may("keys:manage")
        ? {
            actions: (
              <NewButton
                label={texts.tenants.newKey}
                onPress={() => replaceRoute(placeHref("integration", { new: "true" }))}
              />
            ),
          }
        : {})}
    >
      <CopyField label={texts.tenants.sdkId} value={application} />
      {may("keys:manage") && (
        <Keys
          application={application}
          isNew={isNewAsked(query)}
          closeNew={() => replaceRoute(placeHref("integration"))}
        />
      )}
      {may("sandbox:manage") && (
        <>
          <SandboxDocuments />
          <div className="columns">
            <SandboxAgeOutcome session={query.get("session") ?? ""} />
            <SandboxClock />
          </div>
        </>
      )}
      {may("usage:view") && <ApplicationUse application={application} />}
    </Screen>
  );
}

function SandboxClock() {
  const { usage: words } = useTexts();
  const format = useFormat();
  const act = useAction();
  const client = useQueryClient();
  const [seconds, setSeconds] = useState<(typeof STEPS)[number]>("86400");
  const [moved, setMoved] = useState<number>();
  const submit = useSubmit(async () => {
    await act(async () => {
      setMoved(await advanceSandboxClock({ seconds: Number(seconds) }));
      await client.invalidateQueries({ queryKey: ["verification-sessions"] });
    }, words.clockMoved);
  });
  return (
    <Card heading={words.clock} id="clock">
      <p className="soft">{words.clockMeans}</p>
      <form className="filters" onSubmit={submit}>
        <Choice<(typeof STEPS)[number]>
          label={words.clockBy}
          value={seconds}
          options={STEPS.map((one) => [one, format.span(Number(one))] as const)}
          onChange={setSeconds}
        />
        <Button className="button" type="submit">
          {words.moveClock}
        </Button>
      </form>
      {moved !== undefined && <p>{fill(words.clockMovedOf, { count: format.number(moved) })}</p>}
    </Card>
  );
}
