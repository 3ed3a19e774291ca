// How well reviewers agree: with each other about the same cases, and with the answers of golden cases.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type Agreement,
  CASE_KINDS,
  type CaseKind,
  caseQuality,
  listQueues,
  type QueueQuality,
  type ReviewerQuality,
} from "../api/cases";
import { type DataColumn, DataTable } from "../components/data-table";
import { Choice } from "../components/field";
import { Answer, Screen } from "../components/screen";
import { oneOf, placeHref, replaceRoute } from "../router";
import { useMemberName } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

const DAY_MS = 86_400_000;
const PERIODS = ["7", "30", "90"] as const;

export function QualityScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const format = useFormat();
  const nameOf = useMemberName();
  const days = oneOf(PERIODS, query.get("days"), "30");
  const kind = oneOf<CaseKind | "">(["", ...CASE_KINDS], query.get("kind"), "");
  const queue = query.get("queue") ?? "";
  const [opened] = useState(Date.now);
  const queues = useQuery({ queryKey: ["queues"], queryFn: listQueues }).data?.queues ?? [];
  const answer = useQuery({
    queryKey: ["quality", days, kind, queue],
    queryFn: () => caseQuality(new Date(opened - Number(days) * DAY_MS).toISOString(), kind, queue),
  });
  const queueName = (id: string | undefined) =>
    id === undefined ? texts.quality.noQueue : (queues.find((one) => one.id === id)?.name ?? id);
  const columns: DataColumn<ReviewerQuality>[] = [
    {
      id: "reviewer",
      heading: texts.cases.reviewer,
      cell: ({ member_id }) => <span className="strong">{nameOf(member_id)}</span>,
      sortBy: ({ member_id }) => nameOf(member_id),
    },
    {
      id: "decided",
      heading: texts.quality.decided,
      cell: ({ decided }) => format.number(decided),
      sortBy: ({ decided }) => decided,
    },
    {
      id: "seconds",
      heading: texts.quality.seconds,
      cell: ({ exposure_seconds }) => format.span(exposure_seconds),
      sortBy: ({ exposure_seconds }) => exposure_seconds,
    },
    {
      id: "others",
      heading: texts.quality.others,
      cell: ({ with_others }) => <AgreementCell agreement={with_others} />,
      sortBy: ({ with_others }) => with_others.share ?? -1,
    },
    {
      id: "golden",
      heading: texts.quality.golden,
      cell: ({ with_golden }) => <AgreementCell agreement={with_golden} />,
      sortBy: ({ with_golden }) => with_golden.share ?? -1,
    },
  ];
  const queueColumns: DataColumn<QueueQuality>[] = [
    {
      id: "queue",
      heading: texts.quality.queue,
      cell: ({ queue_id }) => <span className="strong">{queueName(queue_id)}</span>,
      sortBy: ({ queue_id }) => queueName(queue_id),
    },
    {
      id: "settled",
      heading: texts.quality.settled,
      cell: ({ settled }) => format.number(settled),
      sortBy: ({ settled }) => settled,
    },
    {
      id: "overdue",
      heading: texts.quality.overdue,
      cell: ({ overdue }) => format.number(overdue),
      sortBy: ({ overdue }) => overdue,
    },
    {
      id: "time",
      heading: texts.quality.median,
      cell: ({ seconds_to_decision: seconds }) =>
        seconds ? (
          <>
            {format.span(seconds.median)}{" "}
            <span className="soft">· {fill(texts.quality.p90, { span: format.span(seconds.p90) })}</span>
          </>
        ) : (
          "–"
        ),
      sortBy: ({ seconds_to_decision: seconds }) => seconds?.median ?? -1,
    },
    {
      id: "between",
      heading: texts.quality.between,
      cell: ({ between_reviewers }) => <AgreementCell agreement={between_reviewers} />,
      sortBy: ({ between_reviewers }) => between_reviewers.share ?? -1,
    },
    {
      id: "golden",
      heading: texts.quality.golden,
      cell: ({ with_golden }) => <AgreementCell agreement={with_golden} />,
      sortBy: ({ with_golden }) => with_golden.share ?? -1,
    },
  ];
  const change = (changed: { days?: string; kind?: string; queue?: string }) =>
    replaceRoute(placeHref("quality", { days, kind, queue, ...changed }));
  return (
    <Screen heading={texts.nav.quality} wide>
      <div className="filters">
        <Choice
          label={texts.quality.since}
          value={days}
          options={PERIODS.map((one) => [one, format.span((Number(one) * DAY_MS) / 1000)] as const)}
          onChange={(chosen) => change({ days: chosen })}
        />
        <Choice
          label={texts.cases.kind}
          value={kind}
          options={[
            ["", texts.cases.anyKind] as const,
            ...CASE_KINDS.map((one) => [one, texts.cases.kinds[one]] as const),
          ]}
          onChange={(chosen) => change({ kind: chosen })}
        />
        <Choice
          label={texts.quality.queue}
          value={queue}
          options={[["", texts.queue.all] as const, ...queues.map(({ id, name }) => [id, name] as const)]}
          onChange={(chosen) => change({ queue: chosen })}
        />
      </div>
      <Answer query={answer}>
        {(quality) => (
          <>
            <h2>{texts.quality.reviewers}</h2>
            <DataTable
              label={texts.quality.reviewers}
              columns={columns}
              rows={quality.reviewers}
              idOf={({ member_id }) => member_id}
              empty={texts.quality.empty}
            />
            {quality.queues.length > 0 && (
              <>
                <h2>{texts.quality.queues}</h2>
                <DataTable
                  label={texts.quality.queues}
                  columns={queueColumns}
                  rows={quality.queues}
                  idOf={({ queue_id }) => queue_id ?? ""}
                  empty={texts.quality.empty}
                />
              </>
            )}
            <p className="soft">{texts.quality.hint}</p>
          </>
        )}
      </Answer>
    </Screen>
  );
}

/** A share as a bar and in words. */
function AgreementCell({ agreement }: { agreement: Agreement }) {
  const { quality } = useTexts();
  const format = useFormat();
  const { cases, share, kappa } = agreement;
  if (share === undefined) {
    return "–";
  }
  return (
    <span className="history">
      <span className="history-bar" aria-hidden="true">
        <span data-tone="good" style={{ width: `${100 * share}%` }} />
      </span>
      <span>
        {fill(quality.share, { share: format.percent(share), cases: format.number(cases) })}
        {kappa !== undefined && (
          <span className="soft">
            {" "}
            · {fill(quality.kappa, { kappa: kappa.toLocaleString(format.language, { maximumFractionDigits: 2 }) })}
          </span>
        )}
      </span>
    </span>
  );
}
