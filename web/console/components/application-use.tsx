// How much an application uses: calls by day, its limits with what is used of them, and its latest requests.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { applicationUsage, type LimitUsage, type LoggedRequest, listRequests, type UsageDay } from "../api/usage";
import { fill, useFormat, useTexts } from "../texts";
import { type DataColumn, DataTable, OlderButton } from "./data-table";
import { Tick } from "./field";
import { ColumnChart, StackedBar } from "./figures";
import { LimitsDialog } from "./limits-dialog";
import { Answer, Badge, Card, Moment } from "./screen";

const DAY_MS = 86_400_000;
const USAGE_DAYS = 30;
/** Statuses from here on are refusals. */
const FIRST_REFUSAL = 400;

interface ApplicationUseProps {
  application: string;
  /** Whether the reader may set its limits. */
  mayChange?: boolean;
}

export function ApplicationUse({ application, mayChange = false }: ApplicationUseProps) {
  const { usage: words } = useTexts();
  const [isChanging, setIsChanging] = useState(false);
  const [to] = useState(() => Math.ceil(Date.now() / DAY_MS) * DAY_MS);
  const answer = useQuery({
    queryKey: ["usage", application],
    queryFn: () =>
      applicationUsage(application, new Date(to - USAGE_DAYS * DAY_MS).toISOString(), new Date(to).toISOString()),
  });
  return (
    <>
      <div className="columns">
        <Card heading={words.calls} id="usage">
          <Answer query={answer}>{({ days }) => <Calls days={days} />}</Answer>
        </Card>
        <Card heading={words.limits} id="limits">
          <Answer query={answer}>
            {({ limits }) => (
              <>
                <Limits limits={limits} />
                {mayChange && (
                  <div className="answers">
                    <Button className="button" onPress={() => setIsChanging(true)}>
                      {words.changeLimits}
                    </Button>
                  </div>
                )}
                {isChanging && (
                  <LimitsDialog application={application} limits={limits} close={() => setIsChanging(false)} />
                )}
              </>
            )}
          </Answer>
        </Card>
      </div>
      <Requests application={application} />
    </>
  );
}

function Calls({ days }: { days: readonly UsageDay[] }) {
  const { usage: words } = useTexts();
  const format = useFormat();
  if (days.length === 0) {
    return <p className="soft">{words.noCalls}</p>;
  }
  const sum = (of: readonly UsageDay[], member: "calls" | "refused") => of.reduce((all, one) => all + one[member], 0);
  const said = (of: readonly UsageDay[]) =>
    fill(words.callsOf, { calls: format.number(sum(of, "calls")), refused: format.number(sum(of, "refused")) });
  const byDay = groupBy(days, ({ day }) => day);
  const byInterface = groupBy(days, (one) => one.interface);
  return (
    <>
      <ColumnChart
        label={`${words.calls}: ${said(days)}`}
        columns={[...byDay].map(([day, of]) => ({
          id: day,
          label: `${format.utcDay(day)}: ${said(of)}`,
          value: sum(of, "calls"),
          marked: sum(of, "refused"),
        }))}
      />
      <dl className="facts">
        {[...byInterface].map(([name, of]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{said(of)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  }
  return groups;
}

function Limits({ limits }: { limits: readonly LimitUsage[] }) {
  const { usage: words } = useTexts();
  const format = useFormat();
  return (
    <ul className="lines">
      {limits.map(({ limit, allowed, used, is_own }) => {
        const isUsed = used !== null && used !== undefined;
        const isLimited = allowed !== null && allowed !== undefined;
        const most = isLimited ? format.number(allowed) : words.unlimited;
        const said = !isUsed
          ? most
          : isLimited
            ? fill(words.usedOf, { used: format.number(used), allowed: most })
            : `${format.number(used)} · ${most}`;
        const share = allowed ? (used ?? 0) / allowed : 0;
        return (
          <li key={limit}>
            <span className="line">
              <span>{words.limitNames[limit]}</span>{" "}
              <span className="soft">
                {said}
                {is_own && ` (${words.isOwn})`}
              </span>
            </span>
            {allowed && isUsed && (
              <StackedBar
                label={`${words.limitNames[limit]}: ${said}`}
                whole={allowed}
                parts={[{ id: limit, value: Math.min(used, allowed), tone: share > 0.9 ? "bad" : "good" }]}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Requests({ application }: { application: string }) {
  const texts = useTexts();
  const { usage: words } = texts;
  const format = useFormat();
  const [refused, setRefused] = useState(false);
  const answer = useInfiniteQuery({
    queryKey: ["requests", application, refused],
    queryFn: ({ pageParam }) => listRequests(application, refused, pageParam),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const columns: DataColumn<LoggedRequest>[] = [
    {
      id: "operation",
      heading: words.operation,
      cell: ({ operation }) => <span className="strong">{operation}</span>,
    },
    {
      id: "status",
      heading: texts.tenants.status,
      cell: ({ status, error_code: code }) => (
        <>
          <Badge tone={status >= FIRST_REFUSAL ? "bad" : "good"}>{`${status}`}</Badge> {code && <code>{code}</code>}
        </>
      ),
    },
    { id: "time", heading: words.milliseconds, cell: ({ milliseconds }) => format.number(milliseconds) },
    { id: "at", heading: words.received, cell: ({ received_at }) => <Moment at={received_at} /> },
    { id: "id", heading: words.requestId, cell: ({ id }) => <code>{id}</code> },
  ];
  return (
    <section className="part" aria-labelledby="requests">
      <h2 id="requests">{words.requests}</h2>
      <Tick label={words.refusedOnly} isTicked={refused} onChange={setRefused} />
      <Answer query={answer}>
        {({ pages }) => (
          <>
            <DataTable
              label={words.requests}
              columns={columns}
              rows={pages.flatMap(({ requests }) => requests)}
              idOf={({ id }) => id}
              empty={words.noRequests}
            />
            <OlderButton query={answer} />
          </>
        )}
      </Answer>
    </section>
  );
}
