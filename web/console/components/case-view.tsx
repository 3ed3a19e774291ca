// A case as it is judged: its pictures, and beside them everything else that a decision rests on.

import type { ReactNode } from "react";
import type { Case, CaseItem, CaseState } from "../api/cases";
import { fill, lookup, type Texts, useFormat, useTexts } from "../texts";
import { DocumentFacts, DocumentPictures } from "./document-evidence";
import { FindingFacts, FindingPictures } from "./finding-evidence";
import { Icon } from "./icon";
import { Badge, Card, Fact, Facts, Moment, type Tone } from "./screen";

/** What a case is about, in a few words. */
export function caseWords(texts: Texts, { kind, reason }: Pick<CaseItem, "kind" | "reason">): string {
  const reasons = { ...texts.finding.reasons, ...texts.document.checks };
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

/** `aside` stands above the facts: what is to be done. */
export function CaseView({ shown, aside }: { shown: Case; aside: ReactNode }) {
  const texts = useTexts();
  const format = useFormat();
  const { finding, document_check: check } = shown;
  return (
    <div className="case">
      <div className="case-stage">
        {finding && <FindingPictures shown={shown} finding={finding} />}
        {check && <DocumentPictures shown={shown} />}
      </div>
      <div className="case-side">
        {aside}
        {finding && <FindingFacts finding={finding} />}
        {check && <DocumentFacts check={check} />}
        <Card heading={texts.cases.about}>
          <Facts>
            <Fact term={texts.cases.queue}>{shown.queue?.name}</Fact>
            <Fact term={texts.cases.created}>
              <Moment at={shown.created_at} />
            </Fact>
            <Fact term={texts.cases.language}>{shown.language}</Fact>
            <Fact term={texts.cases.note}>{shown.note}</Fact>
            <Fact term={texts.cases.appeal}>{shown.is_appeal && texts.cases.isAppeal}</Fact>
          </Facts>
          {shown.policy !== "" && (
            <details className="policy" open>
              <summary>{texts.cases.policy}</summary>
              <p>{shown.policy}</p>
            </details>
          )}
          {shown.deletes_at && (
            <p className="soft">
              <Icon name="clock" /> {fill(texts.cases.deleted, { day: format.day(shown.deletes_at) })}
            </p>
          )}
        </Card>
      </div>
    </div>
  );
}
