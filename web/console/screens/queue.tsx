// The queue: one case, its decision one key away, and the next one there already.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { type Case, type CaseDecision, type Exposure, listQueues, type Queue } from "../api/cases";
import { AssignDialog, HoldDialog, ReasonDialog } from "../components/case-dialogs";
import { CaseView, caseWords, DueBadge } from "../components/case-view";
import { Choice, TextArea } from "../components/field";
import { Icon } from "../components/icon";
import { Failure, Loading, Screen } from "../components/screen";
import { ViewingProvider } from "../components/viewing";
import {
  commentFor,
  DECISION_KEYS,
  DECISION_TONES,
  isMatch,
  MATCH_KEYS,
  reasonFor,
  reasonsFor,
} from "../desk/decisions";
import { ExposureMeter } from "../desk/exposure";
import { type DeskControl, NO_REMARKS, remarkName, useDesk } from "../desk/use-desk";
import { useShortcuts } from "../keys/shortcuts";
import { placeHref, replaceRoute } from "../router";
import { fill, type Texts, useFormat, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import type { ScreenProps } from ".";

const MAX_COMMENT_CHARS = 500;
const REFRESH_MS = 20_000;

export function QueueScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const chosen = query.get("queue") ?? "";
  const desk = useDesk(chosen || undefined);
  const { current, phase } = desk;
  const heading = current ? caseWords(texts, current) : texts.nav.queue;
  return (
    <Screen
      heading={heading}
      focusKey={current?.id ?? phase}
      wide
      actions={current && <DueBadge item={current} now={Date.now()} />}
    >
      <QueueBar chosen={chosen} desk={desk} />
      {current ? <CaseDesk key={current.id} shown={current} desk={desk} /> : <Interlude desk={desk} />}
    </Screen>
  );
}

/** The queue's figures, and how long the reviewer has looked at pictures today. */
function QueueBar({ chosen, desk }: { chosen: string; desk: DeskControl }) {
  const texts = useTexts();
  const { data } = useQuery({ queryKey: ["queues"], queryFn: listQueues, refetchInterval: REFRESH_MS });
  const queues = data?.queues ?? [];
  const exposure = desk.exposure ?? data?.exposure;
  const figures = data
    ? [
        ...queues.filter(({ id }) => !chosen || id === chosen).map((queue) => queue.figures),
        ...(chosen ? [] : [data.without_queue]),
      ]
    : [];
  const sum = (of: (one: Queue["figures"]) => number) => figures.reduce((all, one) => all + of(one), 0);
  const [open, overdue, mine] = [sum((one) => one.open), sum((one) => one.overdue), sum((one) => one.mine)];
  return (
    <div className="queue-bar">
      <Choice
        label={texts.cases.queue}
        value={chosen}
        options={[["", texts.queue.all] as const, ...queues.map(({ id, name }) => [id, name] as const)]}
        onChange={(queue) => replaceRoute(placeHref("queue", { queue }))}
      />
      <dl className="figures">
        <div>
          <dt>{texts.queue.open}</dt>
          <dd>{open}</dd>
        </div>
        <div>
          <dt>{texts.queue.overdue}</dt>
          <dd data-tone={overdue > 0 ? "bad" : undefined}>{overdue}</dd>
        </div>
        {mine > 0 && (
          <div>
            <dt>{texts.queue.mine}</dt>
            <dd>{mine}</dd>
          </div>
        )}
      </dl>
      {exposure && <ExposureView exposure={exposure} desk={desk} />}
    </div>
  );
}

function ExposureView({ exposure, desk }: { exposure: Exposure; desk: DeskControl }) {
  const { queue } = useTexts();
  const format = useFormat();
  const { seconds_today, budget_seconds, is_break_due } = exposure;
  const looked = format.span(seconds_today);
  const words = budget_seconds
    ? fill(queue.exposureOf, { looked, budget: format.span(budget_seconds) })
    : fill(queue.exposure, { looked });
  return (
    <div className="exposure" data-due={is_break_due}>
      <p>
        <Icon name="eye" /> {words}
      </p>
      {budget_seconds && (
        <meter
          aria-label={queue.exposureLabel}
          min={0}
          max={budget_seconds}
          value={Math.min(seconds_today, budget_seconds)}
          high={0.8 * budget_seconds}
        />
      )}
      {desk.current && (
        <Button className={is_break_due ? "button small primary" : "button small"} onPress={() => desk.pause()}>
          <Icon name="hold" /> {is_break_due ? queue.breakDue : queue.pause}
        </Button>
      )}
    </div>
  );
}

/** What is shown while no case is. */
function Interlude({ desk }: { desk: DeskControl }) {
  const { queue } = useTexts();
  switch (desk.phase) {
    case "loading":
    case "working":
      return <Loading />;
    case "failed":
      return <Failure error={desk.error} retry={() => desk.resume()} />;
    case "paused":
      return (
        <div className="empty">
          <p>{queue.paused}</p>
          <Button className="button primary" onPress={() => desk.resume()}>
            {queue.resume}
          </Button>
        </div>
      );
    case "used-up":
      return <p className="empty">{queue.usedUp}</p>;
    case "empty":
      return (
        <div className="empty">
          <p>{queue.empty}</p>
          <p className="soft">{queue.emptyHint}</p>
        </div>
      );
  }
}

/** The word of a decision about a case. */
function decisionWords({ queue }: Texts, shown: Case, decision: CaseDecision): string {
  const words: Partial<Record<CaseDecision, string>> = isMatch(shown) ? queue.matchDecisions : {};
  return words[decision] ?? queue.decisions[decision];
}

type Ask = "hold" | "assign" | "reason" | undefined;

/** One case: made anew for each. */
function CaseDesk({ shown, desk }: { shown: Case; desk: DeskControl }) {
  const texts = useTexts();
  const { queue } = texts;
  const [meter] = useState(() => new ExposureMeter());
  const begun = desk.remarksOn(shown.id);
  const [comment, setComment] = useUnsent(remarkName("comment", shown.id), "", begun.comment);
  const [note, setNote] = useUnsent(remarkName("note", shown.id), "", begun.note);
  const [hours, setHours] = useUnsent(remarkName("hours", shown.id), NO_REMARKS.hours, begun.hours);
  const [reason, setReason] = useUnsent(remarkName("reason", shown.id), NO_REMARKS.reason, begun.reason);
  // As soon as it is drawn: nothing older may replace what goes with a decision.
  useLayoutEffect(() => {
    desk.remember(shown.id, { comment, reason, note, hours });
  });
  const [ask, setAsk] = useState<Ask>();
  /** A decision that waits for its reason. */
  const [waiting, setWaiting] = useState<CaseDecision>();

  const decide = (decision: CaseDecision, chosen = reason, said = comment) => {
    const why = reasonFor(decision, chosen?.code ?? "", said);
    if (why === undefined) {
      setWaiting(decision);
      setAsk("reason");
      return;
    }
    meter.tick(performance.now());
    const input = {
      decision,
      exposure_seconds: Math.round(10 * meter.total) / 10,
      ...(why === "" ? {} : { reason_code: why }),
      ...(said.trim() === "" ? {} : { comment: said }),
    };
    const words = fill(queue.decided, { decision: decisionWords(texts, shown, decision) });
    desk.decide(input, { comment: said, reason: chosen, note, hours }, words);
  };
  const close = () => {
    setAsk(undefined);
    setWaiting(undefined);
  };
  /** Whether the mouse has been pressed for the second time of a double click: the first has decided about the case before. */
  const isDoubleClick = useRef(false);
  const press = (pointer: string, decision: CaseDecision) => {
    if (pointer !== "mouse" || !isDoubleClick.current) {
      decide(decision);
    }
  };
  useShortcuts([
    ...shown.decisions.flatMap((decision) => {
      const second = isMatch(shown) ? MATCH_KEYS[decision] : undefined;
      const keys = [DECISION_KEYS[decision], ...(second ? [second] : [])];
      const label = decisionWords(texts, shown, decision);
      return keys.map((key) => ({ keys: key, label, scope: "here" as const, run: () => decide(decision) }));
    }),
    { keys: "r", label: queue.reasonHeading, scope: "here", run: () => setAsk("reason") },
    { keys: "h", label: queue.hold, scope: "here", run: () => setAsk("hold") },
    { keys: "t", label: queue.assign, scope: "here", run: () => setAsk("assign") },
  ]);

  // What is asked about a case is asked no more once it has left.
  useEffect(() => () => setAsk(undefined), []);

  return (
    <ViewingProvider caseId={shown.id} store={desk.pictures} meter={meter} onViews={desk.report}>
      <CaseView
        shown={shown}
        aside={
          <section className="card decide" aria-label={queue.decide}>
            <div
              className="decide-buttons"
              onMouseDownCapture={({ detail }) => {
                isDoubleClick.current = detail > 1;
              }}
            >
              {shown.decisions.map((decision) => (
                <Button
                  key={decision}
                  className="button decision-button"
                  data-tone={DECISION_TONES[decision]}
                  onPress={({ pointerType }) => press(pointerType, decision)}
                >
                  {decisionWords(texts, shown, decision)} <kbd>{DECISION_KEYS[decision].toUpperCase()}</kbd>
                </Button>
              ))}
            </div>
            <div className="answers">
              <Button className="button small" onPress={() => setAsk("reason")}>
                {reason?.label ?? queue.reason} <kbd>R</kbd>
              </Button>
              <Button className="button small" onPress={() => setAsk("hold")}>
                <Icon name="hold" /> {queue.hold} <kbd>H</kbd>
              </Button>
              <Button className="button small" onPress={() => setAsk("assign")}>
                <Icon name="hand" /> {queue.assign} <kbd>T</kbd>
              </Button>
            </div>
            <TextArea
              label={texts.finding.comment}
              value={comment}
              onChange={setComment}
              most={MAX_COMMENT_CHARS}
              used={(used) => fill(texts.finding.commentUsed, { used, most: MAX_COMMENT_CHARS })}
            />
            <p className="soft">{desk.next ? queue.nextReady : queue.noNext}</p>
          </section>
        }
      />
      {ask === "hold" && (
        <HoldDialog
          hours={hours}
          onHours={setHours}
          note={note}
          onNote={setNote}
          onHold={(input) => desk.hold(input, { comment, reason, note, hours }, queue.onHold)}
          close={close}
        />
      )}
      {ask === "assign" && (
        <AssignDialog
          caseId={shown.id}
          onAssign={(member, name) =>
            desk.assign(member, { comment, reason, note, hours }, fill(queue.assigned, { name }))
          }
          close={close}
        />
      )}
      {ask === "reason" && (
        <ReasonDialog
          reasons={reasonsFor(shown, waiting, texts.reasons)}
          onChoose={(chosen) => {
            const said = commentFor(chosen, reason, comment);
            setReason(chosen);
            setComment(said);
            close();
            if (waiting) {
              decide(waiting, chosen, said);
            }
          }}
          close={close}
        />
      )}
    </ViewingProvider>
  );
}
