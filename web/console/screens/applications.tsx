// Applications of all organisations, and a new one.

import { ApplicationDialog } from "../components/application-dialog";
import { ApplicationTable } from "../components/application-table";
import { isNewAsked, NewButton } from "../components/new-button";
import { Answer, Screen } from "../components/screen";
import { useApplications } from "../components/tenant-links";
import { placeHref, replaceRoute } from "../router";
import { useTexts } from "../texts";
import type { ScreenProps } from ".";

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
