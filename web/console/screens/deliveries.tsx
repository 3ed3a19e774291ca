// Messages to applications' servers: for operators those of all applications, for integrators those of theirs. What one says is
// shown where it is opened, because that is recorded.

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { DELIVERY_STATES, type Delivery, listDeliveries, replayDeliveries } from "../api/deliveries";
import { isOperator } from "../api/session";
import { Endpoints, RotateDialog, Secrets, TestEventDialog } from "../components/application-webhooks";
import { Confirm } from "../components/confirm";
import { type DataColumn, DataTable, OlderButton } from "../components/data-table";
import {
  type DeliveriesAsked,
  DeliveriesFilter,
  deliveriesAskedIn,
  deliveryFilter,
} from "../components/delivery-filter";
import { AnswerBadge, AttemptAnswer, DeliveryBadge, UnverifiedBadge } from "../components/delivery-words";
import { Choice } from "../components/field";
import { NewButton } from "../components/new-button";
import { Answer, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { BreakableCode, ShortId } from "../components/short-id";
import { ApplicationLink, useApplications } from "../components/tenant-links";
import { useToasts } from "../components/toasts";
import { useShortcuts } from "../keys/shortcuts";
import { useOneAtATime } from "../one-at-a-time";
import { useReplay } from "../replay";
import { detailHref, navigate, placeHref, replaceRoute } from "../router";
import { useMarkedRows, useOpenRow } from "../rows";
import { useAction, useConsole } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

const REFRESH_MS = 10_000;

export function DeliveriesScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { deliveries: words } = texts;
  const { session, may } = useConsole();
  const [asked, setAsked] = useState<"rotate" | "test">();
  const given = deliveriesAskedIn(query);
  // Endpoints and secrets are an application's: a member has one, an operator chooses.
  const application = isOperator(session) ? given.application_id : session.application_id;
  const mayChange = may("deliveries:manage") && application !== "";
  const close = () => setAsked(undefined);
  const rotateButton = useRef<HTMLButtonElement>(null);
  // The dialog that showed the secret was opened by another one, and does not know where the focus was before.
  const onSeen = () => setTimeout(() => rotateButton.current?.focus());
  return (
    <Screen
      heading={texts.nav.deliveries}
      wide
      {...(mayChange
        ? {
            actions: (
              <>
                <Button className="button" ref={rotateButton} onPress={() => setAsked("rotate")}>
                  {words.rotate}
                </Button>
                <NewButton label={words.test} onPress={() => setAsked("test")} />
              </>
            ),
          }
        : {})}
    >
      {isOperator(session) && <ApplicationChoice given={given} />}
      {application === "" ? (
        <p className="soft">{words.chooseApplication}</p>
      ) : (
        <div className="columns">
          <Endpoints
            application={application}
            hrefOf={(origin) => placeHref("deliveries", { application_id: given.application_id, origin })}
          />
          <Secrets application={application} />
        </div>
      )}
      <Messages given={given} />
      {asked === "rotate" && <RotateDialog application={application} close={close} onSeen={onSeen} />}
      {asked === "test" && <TestEventDialog application={application} origin={given.origin} close={close} />}
    </Screen>
  );
}

/** Of which application. Who may not list applications comes by the card of a message, and sees the id. */
function ApplicationChoice({ given }: { given: DeliveriesAsked }) {
  const texts = useTexts();
  const all = useApplications().data ?? [];
  const { application_id: chosen } = given;
  const names: (readonly [string, string])[] = all.map(({ id, name }) => [id, name] as const);
  if (chosen === "" && all.length === 0) {
    return null;
  }
  const isNamed = chosen === "" || names.some(([id]) => id === chosen);
  return (
    <div className="filters">
      <Choice
        label={texts.tenants.application}
        value={chosen}
        options={[
          ["", texts.sessions.anyApplication] as const,
          ...names,
          ...(isNamed ? [] : [[chosen, chosen] as const]),
        ]}
        // Another application has other endpoints.
        onChange={(application_id) => replaceRoute(placeHref("deliveries", { ...given, application_id, origin: "" }))}
      />
    </div>
  );
}

function Messages({ given }: { given: DeliveriesAsked }) {
  const texts = useTexts();
  const { deliveries: words } = texts;
  const format = useFormat();
  const { may } = useConsole();
  const filter = deliveryFilter(given);
  const answer = useInfiniteQuery({
    queryKey: ["deliveries", filter],
    queryFn: ({ pageParam }) => listDeliveries({ ...filter, ...(pageParam ? { after: pageParam } : {}) }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: REFRESH_MS,
  });
  const replay = useReplay();
  const rows = answer.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  const [open, choose] = useOpenRow(rows, idOf);
  const { isMarked, marked, meant: all, toggle: mark, clear } = useMarkedRows(rows, idOf, open);
  // Nothing that is being sent at this moment.
  const meant = all.filter(({ state }) => state !== "RUNNING");
  const repeat = useOneAtATime(async () => {
    await replay(meant.map(idOf));
    clear();
  });
  const mayChange = may("deliveries:manage");
  useShortcuts(
    mayChange && open
      ? [
          { keys: "x", label: texts.jobs.mark, scope: "here", run: mark },
          { keys: "r", label: words.replay, scope: "here", run: repeat },
        ]
      : [],
  );
  const columns = useColumns(given, isMarked);
  return (
    <section className="part" aria-labelledby="messages">
      <h2 id="messages">{words.messages}</h2>
      <DeliveriesFilter given={given} seen={rows} />
      <Answer query={answer}>
        {() => (
          <div className="split" data-beside={open !== undefined}>
            <div className="part">
              <DataTable
                label={words.messages}
                columns={columns}
                rows={rows}
                idOf={idOf}
                empty={Object.keys(filter).length > 0 ? words.noneMatch : words.none}
                selected={open?.id}
                onSelect={choose}
                onOpen={({ id }) => navigate(detailHref("delivery", id))}
              />
              <div className="answers">
                <OlderButton query={answer} />
                {mayChange && rows.length > 0 && <ReplayAll given={given} />}
              </div>
            </div>
            {open && (
              <div className="split-detail">
                <DeliveryCard delivery={open}>
                  {marked.length > 0 && (
                    <p className="note">{fill(texts.jobs.markedCount, { count: format.number(marked.length) })}</p>
                  )}
                  <div className="answers">
                    {mayChange && (
                      <Button className="button primary" isDisabled={meant.length === 0} onPress={repeat}>
                        {words.replay} <kbd>R</kbd>
                      </Button>
                    )}
                    <a className="button" href={detailHref("delivery", open.id)}>
                      {words.open}
                    </a>
                  </div>
                </DeliveryCard>
              </div>
            )}
          </div>
        )}
      </Answer>
    </section>
  );
}

function idOf({ id }: Delivery): string {
  return id;
}

function useColumns(given: DeliveriesAsked, isMarked: (row: Delivery) => boolean): DataColumn<Delivery>[] {
  const texts = useTexts();
  const { deliveries: words } = texts;
  const { session } = useConsole();
  return [
    {
      id: "topic",
      heading: words.topic,
      cell: (one) => (
        <>
          <span className="strong">
            <BreakableCode code={one.topic} />
            {isMarked(one) && ` (${texts.jobs.isMarked})`}
          </span>
          <span className="soft breaks detail">
            <BreakableCode code={one.origin} />
          </span>
        </>
      ),
    },
    { id: "state", heading: texts.tenants.status, cell: ({ state }) => <DeliveryBadge state={state} /> },
    {
      id: "answer",
      heading: words.lastAnswer,
      cell: ({ last_attempt: last }) => last && <AnswerBadge attempt={last} />,
    },
    ...(isOperator(session) && given.application_id === ""
      ? [
          {
            id: "application",
            heading: texts.tenants.application,
            cell: ({ application_id: id }: Delivery) => <ApplicationName id={id} />,
          },
        ]
      : []),
    { id: "created", heading: words.queued, cell: ({ created_at }) => <Moment at={created_at} /> },
  ];
}

/** What the application of a delivery is called, as far as the reader may know. */
function ApplicationName({ id }: { id: string }) {
  return useApplications().data?.find((one) => one.id === id)?.name ?? <ShortId id={id} />;
}

function DeliveryCard({ delivery, children }: { delivery: Delivery; children: ReactNode }) {
  const texts = useTexts();
  const { deliveries: words } = texts;
  const format = useFormat();
  const { session } = useConsole();
  const { application_id, last_attempt: last } = delivery;
  return (
    <Card heading={delivery.topic} id="delivery">
      <Facts>
        <Fact term={texts.tenants.status}>
          <DeliveryBadge state={delivery.state} />
        </Fact>
        <Fact term={words.lastAnswer}>{last && <AttemptAnswer attempt={last} />}</Fact>
        <Fact term={texts.jobs.attempts}>{format.number(delivery.attempts)}</Fact>
        {delivery.next_attempt_at && (
          <Fact term={words.nextAttempt}>
            <Moment at={delivery.next_attempt_at} />
          </Fact>
        )}
        {delivery.ended_at && (
          <Fact term={texts.sessions.ended}>
            <Moment at={delivery.ended_at} />
          </Fact>
        )}
        <Fact term={words.endpoint}>
          <BreakableCode code={delivery.origin} /> {!delivery.verify_tls && <UnverifiedBadge />}
        </Fact>
        {isOperator(session) && (
          <Fact term={texts.tenants.application}>
            <ApplicationLink id={application_id} />
            <br />
            <a href={placeHref("deliveries", { application_id })}>{words.itsEndpoints}</a>
          </Fact>
        )}
        <Fact term={texts.copy.id}>
          <code>{delivery.id}</code>
        </Fact>
      </Facts>
      {children}
    </Card>
  );
}

/** Sends everything again that the filters fit, also what is on no page yet. Without a state of their own: what was given up. */
function ReplayAll({ given }: { given: DeliveriesAsked }) {
  const { deliveries: words } = useTexts();
  const format = useFormat();
  const act = useAction();
  const client = useQueryClient();
  const { show } = useToasts();
  const [isAsked, setIsAsked] = useState(false);
  const state = given.state === "" ? "FAILED" : given.state;
  const replayAll = useOneAtATime(async () => {
    await act(async () => {
      const { count, may_have_more } = await replayDeliveries({ ...deliveryFilter(given), state });
      const text = fill(may_have_more ? words.replayedOfMore : words.replayed, { count: format.number(count) });
      show({ text, tone: "good" });
    });
    await client.invalidateQueries({ queryKey: ["deliveries"] });
  });
  // What is being sent at this moment is left out anyway.
  if (!DELIVERY_STATES.some((one) => one === state && one !== "RUNNING")) {
    return null;
  }
  return (
    <>
      <Button className="button" onPress={() => setIsAsked(true)}>
        {fill(words.replayAll, { state: words.states[state] })}
      </Button>
      <Confirm
        question={fill(words.replayAllQuestion, { state: words.states[state] })}
        meaning={words.replayAllMeans}
        yes={words.replay}
        isOpen={isAsked}
        onAnswer={(yes) => {
          setIsAsked(false);
          if (yes) {
            replayAll();
          }
        }}
      />
    </>
  );
}
