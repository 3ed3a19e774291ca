// One case, whoever has it: what it is judged by, and for leads what can be done about who has it.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components/Button";
import { assignCase, type Case, getCase, recordViews, releaseCase } from "../api/cases";
import { AssignDialog } from "../components/case-dialogs";
import { CaseView, caseWords, DueBadge, StateBadge } from "../components/case-view";
import { Answer, Fact, Facts, Moment, Screen } from "../components/screen";
import { ViewingProvider } from "../components/viewing";
import { ExposureMeter, type View } from "../desk/exposure";
import { PictureStore } from "../desk/pictures";
import { placeHref } from "../router";
import { useAction, useSession } from "../session-context";
import { fill, useTexts } from "../texts";
import type { ScreenProps } from ".";

export function CaseScreen({ id }: ScreenProps) {
  const texts = useTexts();
  const answer = useQuery({ queryKey: ["case", id], queryFn: () => getCase(id) });
  const shown = answer.data;
  return (
    <Screen
      heading={shown ? caseWords(texts, shown) : texts.nav.case}
      back={{ href: placeHref("cases"), label: texts.nav.cases }}
      actions={shown && !shown.closed_at && <DueBadge item={shown} now={Date.now()} />}
      wide
    >
      <Answer query={answer}>{(shown) => <OpenCase key={shown.id} shown={shown} />}</Answer>
    </Screen>
  );
}

function OpenCase({ shown }: { shown: Case }) {
  const texts = useTexts();
  const { checkSession } = useSession();
  const [store] = useState(() => new PictureStore());
  const [meter] = useState(() => new ExposureMeter());
  useEffect(() => () => store.keepOnly([]), [store]);
  const report = (caseId: string, views: View[]) => {
    recordViews(caseId, views).catch((failure: unknown) => checkSession(failure));
  };
  return (
    <ViewingProvider caseId={shown.id} store={store} meter={meter} onViews={report}>
      <CaseView
        shown={shown}
        aside={
          <section className="card" aria-label={texts.people.status}>
            <div>
              <StateBadge item={shown} />
            </div>
            <Facts>
              <Fact term={texts.cases.heldUntil}>{shown.held_until && <Moment at={shown.held_until} />}</Fact>
              <Fact term={texts.cases.closed}>{shown.closed_at && <Moment at={shown.closed_at} />}</Fact>
            </Facts>
            <LeadActions shown={shown} />
          </section>
        }
      />
    </ViewingProvider>
  );
}

/** A lead takes a case from whoever has it, or hands it to somebody. */
function LeadActions({ shown }: { shown: Case }) {
  const { queue, cases } = useTexts();
  const { may } = useSession();
  const act = useAction();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  if (shown.closed_at || !may("cases:manage")) {
    return null;
  }
  const change = async (done: () => Promise<void>, said: string) => {
    if (await act(done, said)) {
      await Promise.all(["case", "cases", "queues"].map((kind) => client.invalidateQueries({ queryKey: [kind] })));
    }
  };
  return (
    <div className="answers">
      {(shown.held_by ?? shown.assigned_to ?? shown.held_until) && (
        <Button className="button" onPress={() => void change(() => releaseCase(shown.id), cases.released)}>
          {cases.release}
        </Button>
      )}
      {may("members:manage") && (
        <Button className="button" onPress={() => setAsking(true)}>
          {queue.assign}
        </Button>
      )}
      {isAsking && (
        <AssignDialog
          close={() => setAsking(false)}
          onAssign={(member, name) => {
            setAsking(false);
            void change(() => assignCase(shown.id, member), fill(queue.assigned, { name }));
          }}
        />
      )}
    </div>
  );
}
