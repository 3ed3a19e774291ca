// One case, whoever has it: what it is judged by, and for leads what can be done about who has it.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components/Button";
import { appealCase, assignCase, type Case, getCase, makeGoldenCase, recordViews, releaseCase } from "../api/cases";
import { AssignDialog, GoldenDialog } from "../components/case-dialogs";
import { CaseView, caseWords, DueBadge, StateBadge } from "../components/case-view";
import { Answer, catchFocus, Fact, Facts, Moment, Screen } from "../components/screen";
import { ViewingProvider } from "../components/viewing";
import { ExposureMeter, type View } from "../desk/exposure";
import { PictureStore } from "../desk/pictures";
import { useOneAtATime } from "../one-at-a-time";
import { detailHref, navigate, placeHref, useIsShown } from "../router";
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
  const { checkSession, isGone } = useSession();
  const [store] = useState(() => new PictureStore());
  const [meter] = useState(() => new ExposureMeter());
  useEffect(() => () => store.keepOnly([]), [store]);
  const report = (caseId: string, views: View[]) => {
    if (isGone()) {
      return;
    }
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

/** A lead takes a case from whoever has it or hands it to somebody; one that is settled is looked at again, or made a golden one. */
function LeadActions({ shown }: { shown: Case }) {
  const { queue, cases } = useTexts();
  const { may } = useSession();
  const act = useAction();
  const client = useQueryClient();
  const isShown = useIsShown();
  const [asked, setAsked] = useState<"assign" | "golden">();
  const change = async (done: () => Promise<void>, said: string) => {
    if (await act(done, said)) {
      await Promise.all(["case", "cases", "queues"].map((kind) => client.invalidateQueries({ queryKey: [kind] })));
      catchFocus();
    }
  };
  const release = useOneAtATime(() => change(() => releaseCase(shown.id), cases.released));
  const isOpen = !shown.closed_at && may("cases:manage");
  const isSettled = shown.state === "SETTLED";
  const appeal = useOneAtATime(async () => {
    let made = "";
    await change(async () => {
      made = await appealCase(shown.id);
    }, cases.appealMade);
    if (made !== "" && isShown()) {
      navigate(detailHref("case", made));
    }
  });
  return (
    <div className="answers">
      {isOpen && (shown.held_by ?? shown.assigned_to ?? shown.held_until) && (
        <Button className="button" onPress={release}>
          {cases.release}
        </Button>
      )}
      {isOpen && (
        <Button className="button" onPress={() => setAsked("assign")}>
          {queue.assign}
        </Button>
      )}
      {isSettled && may("cases:manage") && (
        <Button className="button" onPress={appeal}>
          {cases.appealAgain}
        </Button>
      )}
      {isSettled && shown.kind !== "AGE_APPEAL" && may("queues:manage") && (
        <Button className="button" onPress={() => setAsked("golden")}>
          {cases.golden}
        </Button>
      )}
      {asked === "assign" && (
        <AssignDialog
          caseId={shown.id}
          close={() => setAsked(undefined)}
          onAssign={(member, name) => {
            setAsked(undefined);
            void change(() => assignCase(shown.id, member), fill(queue.assigned, { name }));
          }}
        />
      )}
      {asked === "golden" && (
        <GoldenDialog
          decisions={shown.decisions}
          close={() => setAsked(undefined)}
          onChoose={(decision) => {
            setAsked(undefined);
            void change(() => makeGoldenCase(shown.id, decision), cases.goldenMade);
          }}
        />
      )}
    </div>
  );
}
