// One message to an application's server: what it says, what each attempt came to, and sending it again.

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Button } from "react-aria-components/Button";
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryMessage,
  getDelivery,
  listDeliveries,
} from "../api/deliveries";
import { isOperator } from "../api/session";
import { CopyField } from "../components/copy-field";
import { AttemptAnswer, DeliveryBadge, UnverifiedBadge, useMilliseconds } from "../components/delivery-words";
import { Answer, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { ApplicationLink } from "../components/tenant-links";
import { useShortcuts } from "../keys/shortcuts";
import { useOneAtATime } from "../one-at-a-time";
import { useReplay } from "../replay";
import { type Detail, detailHref, isId, placeHref } from "../router";
import { useConsole } from "../session-context";
import { useTexts } from "../texts";
import { DETAIL_AUDIENCES, isOpenTo, type ScreenProps } from ".";

const REFRESH_MS = 3_000;

export function DeliveryScreen({ id }: ScreenProps) {
  const texts = useTexts();
  const { may } = useConsole();
  // Each time that it is asked for is recorded as seen: it is not asked for again by itself.
  const answer = useQuery({
    queryKey: ["delivery", id],
    queryFn: () => getDelivery(id),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const delivery = answer.data?.delivery;
  return (
    <Screen
      heading={delivery?.topic ?? texts.nav.delivery}
      back={{ href: placeHref("deliveries"), label: texts.nav.deliveries }}
      wide
    >
      <Answer query={answer}>
        {({ delivery, attempts, message }) => (
          <div className="columns">
            <div className="part">
              <DeliveryFacts delivery={delivery} message={message ?? undefined} />
              <Watch delivery={delivery} onChanged={answer.refetch} />
              <Attempts attempts={attempts} />
              {may("deliveries:manage") && <ReplayAction delivery={delivery} isErased={!message} />}
            </div>
            <Said id={delivery.id} message={message ?? undefined} />
          </div>
        )}
      </Answer>
    </Screen>
  );
}

/** Looks whether a message that is not over has changed. Lists show no content, so that nothing is recorded for it. */
function Watch({ delivery, onChanged }: { delivery: Delivery; onChanged(): unknown }) {
  const { id, application_id, created_at, state, attempts, next_attempt_at } = delivery;
  const isOver = state === "DELIVERED" || state === "FAILED";
  const { data } = useQuery({
    queryKey: ["delivery-state", id, state, attempts, next_attempt_at],
    queryFn: async () => {
      // The moment has microseconds; that after it is late enough by more than one.
      const to = new Date(Date.parse(created_at) + 2).toISOString();
      const { deliveries } = await listDeliveries({ application_id, from: created_at, to });
      return deliveries.find((one) => one.id === id) ?? null;
    },
    enabled: !isOver,
    refetchInterval: REFRESH_MS,
    staleTime: 0,
  });
  const isChanged =
    data && (data.state !== state || data.attempts !== attempts || data.next_attempt_at !== next_attempt_at);
  useEffect(() => {
    if (isChanged) {
      onChanged();
    }
  }, [isChanged, onChanged]);
  return null;
}

function DeliveryFacts({ delivery, message }: { delivery: Delivery; message: DeliveryMessage | undefined }) {
  const texts = useTexts();
  const { deliveries: words } = texts;
  const { session } = useConsole();
  const { application_id, origin, verify_tls, state, created_at, ended_at, next_attempt_at } = delivery;
  return (
    <Card heading={texts.tenants.about}>
      <Facts>
        <Fact term={texts.tenants.status}>
          <DeliveryBadge state={state} />
        </Fact>
        {message && <SubjectFact topic={delivery.topic} body={message.body} />}
        {isOperator(session) && (
          <Fact term={texts.tenants.application}>
            <ApplicationLink id={application_id} />
          </Fact>
        )}
        <Fact term={words.endpoint}>
          <a href={placeHref("deliveries", { ...(isOperator(session) ? { application_id } : {}), origin })}>{origin}</a>{" "}
          {!verify_tls && <UnverifiedBadge />}
        </Fact>
        <Fact term={words.queued}>
          <Moment at={created_at} />
        </Fact>
        {next_attempt_at && (
          <Fact term={words.nextAttempt}>
            <Moment at={next_attempt_at} />
          </Fact>
        )}
        {ended_at && (
          <Fact term={texts.sessions.ended}>
            <Moment at={ended_at} />
          </Fact>
        )}
      </Facts>
      <CopyField label={words.id} value={delivery.id} />
    </Card>
  );
}

/** Where what messages are about stands in them, by how their topics begin. */
const SUBJECTS: readonly (readonly [topic: string, member: string, detail: Detail])[] = [
  ["ages.", "session_key", "session"],
  ["identity.", "session_id", "session"],
  ["moderation.notification", "id", "notification"],
];

/** What a message says that it is about; nothing where it does not say so. */
function subjectOf(topic: string, body: string): { detail: Detail; id: string } | undefined {
  const [, member = "", detail] = SUBJECTS.find(([begin]) => topic.startsWith(begin)) ?? [];
  try {
    const id = (JSON.parse(body) as Record<string, unknown>)[member];
    return detail && typeof id === "string" && isId(id) ? { detail, id } : undefined;
  } catch {
    return undefined;
  }
}

function SubjectFact({ topic, body }: { topic: string; body: string }) {
  const texts = useTexts();
  const { session, may } = useConsole();
  const subject = subjectOf(topic, body);
  if (!subject) {
    return null;
  }
  const { detail, id } = subject;
  return (
    <Fact term={detail === "session" ? texts.nav.session : texts.nav.notification}>
      {isOpenTo(DETAIL_AUDIENCES[detail], session, may) ? (
        <a href={detailHref(detail, id)}>
          <code>{id}</code>
        </a>
      ) : (
        <code>{id}</code>
      )}
    </Fact>
  );
}

function ReplayAction({ delivery, isErased }: { delivery: Delivery; isErased: boolean }) {
  const { deliveries: words } = useTexts();
  const replay = useReplay();
  const mayReplay = !isErased && delivery.state !== "RUNNING";
  const run = useOneAtATime(() => replay([delivery.id]));
  useShortcuts(mayReplay ? [{ keys: "r", label: words.replay, scope: "here", run }] : []);
  if (isErased) {
    return null;
  }
  return (
    <Card heading={words.replay}>
      <p className="soft">{words.replayMeans}</p>
      <div className="answers">
        <Button className="button primary" isDisabled={!mayReplay} onPress={run}>
          {words.replay} <kbd>R</kbd>
        </Button>
      </div>
    </Card>
  );
}

function Attempts({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  const texts = useTexts();
  const { deliveries: words } = texts;
  const milliseconds = useMilliseconds();
  return (
    <Card heading={texts.jobs.attempts} id="attempts">
      {attempts.length === 0 ? (
        <p className="soft">{words.noAttempts}</p>
      ) : (
        <ol className="timeline">
          {attempts.map((attempt) => (
            <li key={attempt.at}>
              <AttemptAnswer attempt={attempt} />
              <br />
              <span className="soft">
                <Moment at={attempt.at} /> · {milliseconds(attempt.took_ms)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

/** What is sent, without what may be a secret of the application. */
function Said({ id, message }: { id: string; message: DeliveryMessage | undefined }) {
  const { deliveries: words } = useTexts();
  if (!message) {
    return (
      <Card heading={words.message} id="message">
        <p className="note">{words.erased}</p>
      </Card>
    );
  }
  const { method, url, has_query, headers, body } = message;
  return (
    <Card heading={words.message} id="message">
      <p>
        <code className="address">
          {method} {url}
          {has_query && "?…"}
        </code>
      </p>
      {has_query && <p className="soft">{words.queryHidden}</p>}
      <h3>{words.headers}</h3>
      <dl className="facts">
        <div>
          <dt>
            <code>webhook-id</code>
          </dt>
          <dd>
            <code>{id}</code>
          </dd>
        </div>
        {["webhook-timestamp", "webhook-signature"].map((name) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd className="soft">{words.eachAttempt}</dd>
          </div>
        ))}
        {headers.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{value ? <code>{value}</code> : <span className="soft">{words.headerHidden}</span>}</dd>
          </div>
        ))}
      </dl>
      {body !== "" && (
        <>
          <h3>{words.body}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
          <section className="zone" dir="ltr" tabIndex={0} aria-label={words.body}>
            {readable(body)}
          </section>
        </>
      )}
    </Card>
  );
}

/** JSON in lines; anything else as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
