// What an appeal against an age is judged by: the photo that came with it, what the person says, and why they were refused.

import type { AgeAppeal, Case } from "../api/cases";
import { fill, lookup, useTexts } from "../texts";
import { AgeScale } from "./charts";
import { FaceComparison } from "./face-comparison";
import { Card, Empty, Fact, Facts, Moment } from "./screen";
import { codeWords } from "./session-words";

export function AppealPicture({ shown }: { shown: Case }) {
  const { appeal: words } = useTexts();
  const picture = shown.pictures.find(({ role }) => role === "SELFIE");
  if (!picture) {
    return <Empty>{words.noPicture}</Empty>;
  }
  return (
    <div className="stage">
      <FaceComparison first={{ picture, label: words.picture }} second={undefined} />
    </div>
  );
}

/** The person's own words, in whatever direction they are written. */
export function AppealStatement({ shown, appeal }: { shown: Case; appeal: AgeAppeal }) {
  const { appeal: words } = useTexts();
  return (
    appeal.statement && (
      <Card heading={words.statement}>
        <p className="statement" dir="auto" lang={shown.language}>
          {appeal.statement}
        </p>
      </Card>
    )
  );
}

/** What was asked, and why it was refused. */
export function AppealRefusal({ appeal }: { appeal: AgeAppeal }) {
  const texts = useTexts();
  const { appeal: words } = texts;
  const { threshold, estimate, reason } = appeal;
  const isUnder = appeal.type === "UNDER";
  return (
    <Card heading={words.refusal}>
      {estimate && <AgeScale age={{ ...estimate, threshold }} met={isUnder ? "below" : "above"} />}
      <Facts>
        <Fact term={words.asked}>{fill(isUnder ? words.under : words.over, { threshold })}</Fact>
        <Fact term={texts.sandbox.method}>{codeWords(appeal.method)}</Fact>
        <Fact term={texts.sessions.reason}>{reason && (lookup(words.reasons, reason) ?? reason)}</Fact>
        <Fact term={words.level}>{words.levels[appeal.level]}</Fact>
        <Fact term={words.attempts}>{`${appeal.attempts}`}</Fact>
        <Fact term={words.refused}>
          <Moment at={appeal.refused_at} />
        </Fact>
        <Fact term={words.made}>
          <Moment at={appeal.appealed_at} />
        </Fact>
        <Fact term={texts.document.session}>
          <code className="address">{appeal.session_id}</code>
        </Fact>
      </Facts>
    </Card>
  );
}
