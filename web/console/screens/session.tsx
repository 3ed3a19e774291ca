// One session of document or age verification: what is known of it, and what happened, in the order of time.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import {
  cancelVerificationSession,
  getVerificationSession,
  redactVerificationSession,
  type TimelineEntry,
  type VerificationSession,
} from "../api/verification-sessions";
import { useApprovable } from "../approvable";
import { Confirm } from "../components/confirm";
import { CopyField } from "../components/copy-field";
import { Answer, Badge, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { codeWords, kindWords, OutcomeWord, SessionBadge } from "../components/session-words";
import { ApplicationLink } from "../components/tenant-links";
import { detailHref, navigate, placeHref, useIsShown } from "../router";
import { useAction, useConsole } from "../session-context";
import { lookup, useFormat, useTexts } from "../texts";
import { DETAIL_AUDIENCES, isOpenTo, type ScreenProps } from ".";

export function SessionScreen({ id }: ScreenProps) {
  const texts = useTexts();
  const { may } = useConsole();
  const answer = useQuery({ queryKey: ["verification-session", id], queryFn: () => getVerificationSession(id) });
  const session = answer.data?.session;
  return (
    <Screen
      heading={session ? kindWords(texts, session.kind) : texts.nav.session}
      back={{ href: placeHref("sessions"), label: texts.nav.sessions }}
      wide
    >
      <Answer query={answer}>
        {({ session, timeline }) => (
          <div className="columns">
            <div className="part">
              <SessionFacts session={session} />
              {may("sessions:manage") && <SessionActions session={session} />}
            </div>
            <Timeline entries={timeline} />
          </div>
        )}
      </Answer>
    </Screen>
  );
}

function SessionFacts({ session }: { session: VerificationSession }) {
  const texts = useTexts();
  const { sessions: words } = texts;
  const { may } = useConsole();
  return (
    <Card heading={texts.tenants.about}>
      <Facts>
        <Fact term={words.outcome}>
          <SessionBadge session={session} />
        </Fact>
        <Fact term={texts.tenants.status}>{lookup(words.states, session.state) ?? session.state}</Fact>
        <Fact term={words.reason}>{session.reason && codeWords(session.reason)}</Fact>
        <Fact term={words.lastStep}>{session.last_step && codeWords(session.last_step)}</Fact>
        <Fact term={texts.tenants.application}>
          <ApplicationLink id={session.application_id} />
        </Fact>
        {session.sandbox && (
          <Fact term={words.sandbox}>
            <Badge tone="warn">{words.onlySandbox}</Badge>{" "}
            {session.kind === "AGE" && may("sandbox:manage") && (
              <a href={placeHref("integration", { session: session.id })}>{texts.sandbox.setAge}</a>
            )}
          </Fact>
        )}
        <Fact term={texts.tenants.created}>
          <Moment at={session.created_at} />
        </Fact>
        {session.ended_at ? (
          <Fact term={words.ended}>
            <Moment at={session.ended_at} />
          </Fact>
        ) : (
          <Fact term={texts.tenants.expires}>
            <Moment at={session.expires_at} />
          </Fact>
        )}
        {session.resources_deleted_at && (
          <Fact term={words.resourcesDeleted}>
            <Moment at={session.resources_deleted_at} />
          </Fact>
        )}
        <Fact term={words.deleted}>
          <Moment at={session.deleted_at} />
        </Fact>
      </Facts>
      <CopyField label={texts.copy.id} value={session.id} />
    </Card>
  );
}

function SessionActions({ session }: { session: VerificationSession }) {
  const { sessions: words } = useTexts();
  const act = useAction();
  const redactApprovably = useApprovable();
  const client = useQueryClient();
  const isShown = useIsShown();
  const [asked, setAsked] = useState<"cancel" | "redact">();
  const answer = async (yes: boolean) => {
    const todo = asked;
    setAsked(undefined);
    if (!yes || !todo) {
      return;
    }
    if (todo === "cancel") {
      await act(() => cancelVerificationSession(session.id), words.cancelled);
      await client.invalidateQueries({ queryKey: ["verification-session", session.id] });
      return;
    }
    const came = await redactApprovably(() => redactVerificationSession(session.id), words.redacted);
    if (came === "done" && isShown()) {
      navigate(placeHref("sessions"));
    }
  };
  return (
    <Card heading={words.actions}>
      <div className="answers">
        {!session.ended_at && (
          <Button className="button" onPress={() => setAsked("cancel")}>
            {words.cancel}
          </Button>
        )}
        <Button className="button danger" onPress={() => setAsked("redact")}>
          {words.redact}
        </Button>
      </div>
      <Confirm
        question={asked === "cancel" ? words.cancelQuestion : words.redactQuestion}
        meaning={asked === "cancel" ? words.cancelMeans : words.redactMeans}
        yes={asked === "cancel" ? words.cancel : words.redact}
        isOpen={asked !== undefined}
        onAnswer={(yes) => void answer(yes)}
      />
    </Card>
  );
}

function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const { sessions: words } = useTexts();
  return (
    <Card heading={words.timeline} id="timeline">
      <ol className="timeline">
        {entries.map((entry) => (
          <TimelineItem
            key={`${entry.at} ${entry.event} ${entry.subject ?? ""} ${entry.delivery_id ?? ""}`}
            entry={entry}
          />
        ))}
      </ol>
    </Card>
  );
}

function TimelineItem({ entry }: { entry: TimelineEntry }) {
  const { sessions: words } = useTexts();
  const format = useFormat();
  const { session, may } = useConsole();
  const { event, at, ended_at, subject, outcome, reason, delivery_id } = entry;
  const mayOpen = isOpenTo(DETAIL_AUDIENCES.delivery, session, may);
  const seconds = ended_at ? (Date.parse(ended_at) - Date.parse(at)) / 1000 : undefined;
  return (
    <li data-event={event}>
      <span className="strong">{words.events[event]}</span>
      {subject && (
        <span>
          {" "}
          {delivery_id && mayOpen ? (
            <a href={detailHref("delivery", delivery_id)}>{subject}</a>
          ) : event === "MESSAGE" ? (
            subject
          ) : (
            codeWords(subject)
          )}
        </span>
      )}{" "}
      {outcome && <OutcomeWord outcome={outcome} />}
      {reason && <span className="soft">{` ${codeWords(reason)}`}</span>}
      <br />
      <span className="soft">
        <Moment at={at} />
        {seconds !== undefined && ` · ${format.span(Math.max(1, seconds))}`}
      </span>
    </li>
  );
}
