// All cases that the reader may see: where each stands, who has it, and what is overdue.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { FACE_REASONS, PAGE_SIZE } from "../api/account";
import {
  CASE_KINDS,
  type CaseFilter,
  type CaseItem,
  type CaseKind,
  type CaseState,
  listCases,
  listQueues,
} from "../api/cases";
import { caseWords, DueBadge, StateBadge } from "../components/case-view";
import { type DataColumn, DataTable, Pager } from "../components/data-table";
import { Choice, Tick } from "../components/field";
import { Answer, Moment, Screen } from "../components/screen";
import { detailHref, navigate, oneOf, placeHref, replaceRoute } from "../router";
import { useMemberName, useSession } from "../session-context";
import { useTexts } from "../texts";
import type { ScreenProps } from ".";

const REFRESH_MS = 20_000;
const STATES: readonly CaseState[] = ["OPEN", "HELD", "DECIDED", "SETTLED", "WITHDRAWN"];

export function CasesScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { session, may, account } = useSession();
  const given = {
    state: oneOf<CaseState | "">(["", ...STATES], query.get("state"), ""),
    kind: oneOf<CaseKind | "">(["", ...CASE_KINDS], query.get("kind"), ""),
    reason: query.get("reason") ?? "",
    queue_id: query.get("queue_id") ?? "",
    member_id: query.get("member_id") ?? "",
    overdue: query.get("overdue") ?? "",
  };
  const filter: CaseFilter = {
    ...(given.state === "" ? {} : { state: given.state }),
    ...(given.kind === "" ? {} : { kind: given.kind }),
    ...(given.reason === "" ? {} : { reason: given.reason }),
    ...(given.queue_id === "" ? {} : { queue_id: given.queue_id }),
    ...(given.member_id === "" ? {} : { member_id: given.member_id }),
    ...(given.overdue === "true" ? { overdue: true } : {}),
  };
  const page = Math.max(1, Number(query.get("page")) || 1);
  const answer = useQuery({
    queryKey: ["cases", given, page],
    queryFn: () => listCases(filter, page),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const { data: queues } = useQuery({ queryKey: ["queues"], queryFn: listQueues });
  const members = useQuery({
    queryKey: ["members"],
    queryFn: () => account.members(),
    enabled: may("members:manage"),
  });
  const nameOf = useMemberName();
  const reasons = [
    ...FACE_REASONS.map((one) => [one, texts.finding.reasons[one]] as const),
    ...Object.entries(texts.document.checks),
  ] as const;
  const change = (changed: Partial<typeof given>) => replaceRoute(placeHref("cases", { ...given, ...changed }));
  const columns: DataColumn<CaseItem>[] = [
    {
      id: "case",
      heading: texts.nav.case,
      cell: (item) => <span className="strong">{caseWords(texts, item)}</span>,
      sortBy: (item) => caseWords(texts, item),
    },
    {
      id: "state",
      heading: texts.people.status,
      cell: (item) => <StateBadge item={item} />,
      sortBy: ({ state }) => STATES.indexOf(state),
    },
    {
      id: "due",
      heading: texts.cases.dueHeading,
      cell: (item) => <DueCell item={item} />,
      sortBy: ({ due_at, closed_at }) => closed_at ?? due_at,
    },
    {
      id: "queue",
      heading: texts.cases.queue,
      cell: ({ queue }) => queue?.name,
      sortBy: ({ queue }) => queue?.name ?? "",
    },
    {
      id: "reviewer",
      heading: texts.cases.reviewer,
      cell: ({ held_by, assigned_to }) => {
        const who = held_by ?? assigned_to;
        return who && nameOf(who);
      },
      sortBy: ({ held_by, assigned_to }) => {
        const who = held_by ?? assigned_to;
        return who ? nameOf(who) : "";
      },
    },
    {
      id: "created",
      heading: texts.cases.created,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  return (
    <Screen heading={texts.nav.cases} focusKey={page} wide>
      <div className="filters">
        <Choice
          label={texts.people.status}
          value={given.state}
          options={[
            ["", texts.cases.anyState] as const,
            ...STATES.map((one) => [one, texts.cases.states[one]] as const),
          ]}
          onChange={(state) => change({ state })}
        />
        <Choice
          label={texts.cases.kind}
          value={given.kind}
          options={[
            ["", texts.cases.anyKind] as const,
            ...CASE_KINDS.map((one) => [one, texts.cases.kinds[one]] as const),
          ]}
          onChange={(kind) => change({ kind })}
        />
        <Choice
          label={texts.inbox.reason}
          value={given.reason}
          options={[["", texts.inbox.anyReason] as const, ...reasons]}
          onChange={(reason) => change({ reason })}
        />
        <Choice
          label={texts.cases.queue}
          value={given.queue_id}
          options={[
            ["", texts.queue.all] as const,
            ...(queues?.queues ?? []).map(({ id, name }) => [id, name] as const),
          ]}
          onChange={(queue_id) => change({ queue_id })}
        />
        <Choice
          label={texts.cases.reviewer}
          value={given.member_id}
          options={[
            ["", texts.cases.anybody] as const,
            [session.member.id, texts.you] as const,
            ...(members.data ?? [])
              .filter(({ id }) => id !== session.member.id)
              .map(({ id, username }) => [id, username] as const),
          ]}
          onChange={(member_id) => change({ member_id })}
        />
        <Tick
          label={texts.queue.overdue}
          isTicked={given.overdue === "true"}
          onChange={(ticked) => change({ overdue: ticked ? "true" : "" })}
        />
      </div>
      <Answer query={answer}>
        {({ cases, total_count }) => (
          <>
            <DataTable
              label={texts.nav.cases}
              columns={columns}
              rows={cases}
              idOf={({ id }) => id}
              empty={texts.cases.empty}
              onOpen={({ id }) => navigate(detailHref("case", id))}
            />
            <Pager
              page={page}
              total={total_count}
              pageSize={PAGE_SIZE}
              isSorted
              onTurn={(to) => navigate(placeHref("cases", { ...given, page: `${to}` }))}
            />
          </>
        )}
      </Answer>
    </Screen>
  );
}

function DueCell({ item }: { item: CaseItem }) {
  return item.closed_at ? <Moment at={item.closed_at} /> : <DueBadge item={item} now={Date.now()} />;
}
