// One application: what it may use, and its keys, which are shown once.

import { ApplicationDialog } from "../components/application-dialog";
import { Keys } from "../components/application-keys";
import { ApplicationBadge, featureWords } from "../components/application-table";
import { ApplicationUse } from "../components/application-use";
import { CopyField } from "../components/copy-field";
import { ChangeButton, isNewAsked, NewButton } from "../components/new-button";
import { Answer, Card, Empty, Fact, Facts, Moment, Screen } from "../components/screen";
import { OrganisationLink, useApplications } from "../components/tenant-links";
import { detailHref, placeHref, replaceRoute } from "../router";
import { useConsole } from "../session-context";
import { useTexts } from "../texts";
import { useUnsent } from "../unsent";
import type { ScreenProps } from ".";

export function ApplicationScreen({ id, query }: ScreenProps) {
  const texts = useTexts();
  const { tenants: words, copy } = texts;
  const { may } = useConsole();
  const applications = useApplications();
  const application = applications.data?.find((one) => one.id === id);
  const maySee = may("applications:manage");
  const [isChanging, setIsChanging] = useUnsent(`change of application ${id}`, false);
  const back = maySee ? { back: { href: placeHref("applications"), label: texts.nav.applications } } : {};
  return (
    <Screen
      heading={application?.name ?? words.application}
      {...back}
      wide
      actions={
        <>
          {application && maySee && <ChangeButton label={words.change} onPress={() => setIsChanging(true)} />}
          {may("keys:manage") && (
            <NewButton
              label={words.newKey}
              onPress={() => replaceRoute(detailHref("application", id, { new: "true" }))}
            />
          )}
        </>
      }
    >
      {maySee && (
        <Answer query={applications}>
          {() =>
            application ? (
              <Card heading={words.about}>
                <Facts>
                  <Fact term={words.organisation}>
                    {application.organisation_id ? (
                      <OrganisationLink id={application.organisation_id} />
                    ) : (
                      words.noOrganisation
                    )}
                  </Fact>
                  <Fact term={words.status}>
                    <ApplicationBadge state={application.state} />
                  </Fact>
                  <Fact term={words.features}>
                    {featureWords(application.features, words.featureNames) || texts.none}
                  </Fact>
                  <Fact term={words.billedTo}>{application.billing_source_id ?? words.noBilling}</Fact>
                  <Fact term={words.created}>
                    <Moment at={application.created_at} />
                  </Fact>
                </Facts>
                <CopyField label={words.sdkId} value={id} />
              </Card>
            ) : (
              <Empty>{texts.errors.nothingHere}</Empty>
            )
          }
        </Answer>
      )}
      {!maySee && <CopyField label={copy.id} value={id} />}
      {may("keys:manage") && (
        <Keys application={id} isNew={isNewAsked(query)} closeNew={() => replaceRoute(detailHref("application", id))} />
      )}
      {may("health:view") && <ApplicationUse application={id} mayChange={maySee} />}
      {application && isChanging && (
        <ApplicationDialog application={application} organisation="" close={() => setIsChanging(false)} />
      )}
    </Screen>
  );
}
