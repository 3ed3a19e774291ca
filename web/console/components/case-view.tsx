// A case as it is judged: its pictures, and beside them everything else that a decision rests on.

import type { ReactNode } from "react";
import type { Case, CaseItem, CaseState } from "../api/cases";
import { fill, lookup, type Texts, useFormat, useTexts } from "../texts";
import { AppealPicture, AppealRefusal, AppealStatement } from "./appeal-evidence";
import { DocumentPictures, DocumentReport, DocumentResource } from "./document-evidence";
import { FindingContent, FindingMeasures, FindingPictures } from "./finding-evidence";
import { Icon } from "./icon";
import { Badge, Card, Fact, Facts, Moment, type Tone } from "./screen";

/** What a case is about, in a few words. */
export function caseWords(texts: Texts, { kind, reason }: Pick<CaseItem, "kind" | "reason">): string {
  const reasons = { ...texts.finding.reasons, ...texts.document.checks, ...texts.appeal.reasons };
  const why = lookup(reasons, reason) ?? reason;
  return kind === "FINDING" ? fill(texts.finding.found, { reasons: why }) : `${texts.cases.kinds[kind]}: ${why}`;
}

export function DueBadge({ item, now }: { item: Pick<CaseItem, "due_at" | "is_overdue">; now: number }) {
  const { cases } = useTexts();
  const format = useFormat();
  const words = fill(item.is_overdue ? cases.overdueSince : cases.due, { when: format.fromNow(item.due_at, now) });
  return (
    <Badge tone={item.is_overdue ? "bad" : "plain"} icon={item.is_overdue ? "warning" : "clock"}>
      {words}
    </Badge>
  );
}

const STATE_TONES: Readonly<Record<CaseState, Tone>> = {
  OPEN: "plain",
  HELD: "warn",
  DECIDED: "warn",
  SETTLED: "good",
  WITHDRAWN: "plain",
  GOLDEN: "plain",
};

/** Where a case stands: what was decided, once that is settled. */
export function StateBadge({ item }: { item: CaseItem }) {
  const { cases, queue } = useTexts();
  const words = item.outcome ? queue.decisions[item.outcome] : cases.states[item.state];
  return <Badge tone={STATE_TONES[item.state]}>{words}</Badge>;
}

/** `aside` stands beside the pictures: what is to be done. */
export function CaseView({ shown, aside }: { shown: Case; aside: ReactNode }) {
  const { finding, document_check: check, age_appeal: appeal } = shown;
  return (
    <div className="case">
      <div className="case-stage">
        {finding && <FindingPictures shown={shown} finding={finding} />}
        {check && <DocumentPictures shown={shown} />}
        {appeal && <AppealPicture shown={shown} />}
        {appeal && <AppealStatement shown={shown} appeal={appeal} />}
      </div>
      <div className="case-side">
        {aside}
        {finding && <FindingMeasures finding={finding} />}
        {check && <DocumentReport check={check} />}
        {appeal && <AppealRefusal appeal={appeal} />}
      </div>
      <div className="case-more">
        {finding && <FindingContent finding={finding} />}
        {check?.resources.map((resource) => (
          <DocumentResource key={resource.id} resource={resource} />
        ))}
        <AboutCase shown={shown} />
      </div>
    </div>
  );
}

function AboutCase({ shown }: { shown: Case }) {
  const { cases } = useTexts();
  const format = useFormat();
  return (
    <Card heading={cases.about}>
      <Facts>
        <Fact term={cases.queue}>{shown.queue?.name}</Fact>
        <Fact term={cases.created}>
          <Moment at={shown.created_at} />
        </Fact>
        <Fact term={cases.language}>{shown.language}</Fact>
        <Fact term={cases.note}>{shown.note}</Fact>
        <Fact term={cases.appeal}>{shown.is_appeal && cases.isAppeal}</Fact>
      </Facts>
      {shown.policy !== "" && (
        <details className="policy" open>
          <summary>{cases.policy}</summary>
          <p>{shown.policy}</p>
        </details>
      )}
      {shown.deletes_at && (
        <p className="soft">
          <Icon name="clock" /> {fill(cases.deleted, { day: format.day(shown.deletes_at) })}
        </p>
      )}
    </Card>
  );
}
