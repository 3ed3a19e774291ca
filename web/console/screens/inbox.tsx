// The inbox: what was found, and what was decided about it. On a wide screen the chosen finding is shown beside the list.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef, useState, useSyncExternalStore } from "react";
import { FACE_REASONS, type Notification, type Notifications, PAGE_SIZE, type Reason } from "../api/account";
import { type DataColumn, DataTable, Pager } from "../components/data-table";
import { Choice } from "../components/field";
import { commentName, FindingCard, findingWords, isFace, OutcomeBadge, VideoTime } from "../components/finding";
import { Answer, Moment, Screen } from "../components/screen";
import { detailHref, navigate, oneOf, type Place, placeHref, replaceRoute } from "../router";
import { useSession, useTitle } from "../session-context";
import { useTexts } from "../texts";
import { unsent } from "../unsent";
import type { ScreenProps } from ".";

/** How often a list that is open is asked for anew. */
const REFRESH_MS = 30_000;
const BESIDE = "(min-width: 1200px)";

const SHOWN = ["all", "open", "decided"] as const;
type Shown = (typeof SHOWN)[number];

export function InboxScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { account } = useSession();
  const shown: Shown = oneOf(SHOWN, query.get("show"), "all");
  const reason = oneOf<Reason | "">(["", ...FACE_REASONS], query.get("reason"), "");
  const filter = {
    ...(shown === "all" ? {} : { reviewed: shown === "decided" }),
    ...(reason === "" ? {} : { reason }),
  };
  const change = (changed: { show?: Shown; reason?: Reason | "" }) => {
    const next = { show: shown, reason, ...changed };
    replaceRoute(placeHref("inbox", { ...next, show: next.show === "all" ? "" : next.show }));
  };
  return (
    <FindingsScreen
      place="inbox"
      query={query}
      filterKey={`${shown} ${reason}`}
      fetchPage={(page) => account.notifications(filter, page)}
      empty={shown === "all" && reason === "" ? texts.inbox.empty : texts.inbox.emptyFiltered}
      filters={
        <div className="filters">
          <Choice
            label={texts.inbox.show}
            value={shown}
            options={SHOWN.map((one) => [one, texts.inbox[one]] as const)}
            onChange={(show) => change({ show })}
          />
          <Choice
            label={texts.inbox.reason}
            value={reason}
            options={[
              ["", texts.inbox.anyReason] as const,
              ...FACE_REASONS.map((one) => [one, texts.finding.reasons[one]] as const),
            ]}
            onChange={(reason) => change({ reason })}
          />
        </div>
      }
    />
  );
}

/** Those that are meant for the reader: moderations name them. */
export function MineScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { account, session } = useSession();
  return (
    <FindingsScreen
      place="mine"
      query={query}
      filterKey=""
      fetchPage={(page) => account.inbox(session.member.id, page)}
      empty={texts.inbox.empty}
    />
  );
}

interface FindingsProps {
  place: Extract<Place, "inbox" | "mine">;
  query: URLSearchParams;
  filterKey: string;
  fetchPage(page: number): Promise<Notifications>;
  empty: string;
  filters?: React.ReactNode;
}

function FindingsScreen({ place, query, filterKey, fetchPage, empty, filters }: FindingsProps) {
  const texts = useTexts();
  const page = Math.max(1, Number(query.get("page")) || 1);
  const answer = useQuery({
    queryKey: ["notifications", place, filterKey, page],
    queryFn: () => fetchPage(page),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const isBeside = useMedia(BESIDE);
  const beside = useBeside(answer.isPlaceholderData ? undefined : answer.data, `${filterKey} ${page}`, query.get("id"));
  const given = Object.fromEntries(query);
  const columns: DataColumn<Notification>[] = [
    {
      id: "finding",
      heading: texts.inbox.finding,
      cell: (one) => <FindingCell notification={one} />,
      sortBy: (one) => findingWords(texts, one),
    },
    { id: "content", heading: texts.inbox.content, cell: (one) => <ContentCell notification={one} /> },
    {
      id: "decision",
      heading: texts.inbox.decision,
      cell: (one) => isFace(one) && <OutcomeBadge notification={one} />,
      sortBy: ({ total_revies, average_score }) => (total_revies === 0 ? -1 : average_score),
    },
    {
      id: "when",
      heading: texts.inbox.when,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  const list = ({ notifications, meta }: Notifications) => {
    const chosen = beside.shown;
    return (
      <div className="split" data-beside={isBeside}>
        <div className="split-list">
          <DataTable
            label={texts.nav[place]}
            columns={columns}
            rows={notifications}
            idOf={({ id }) => id}
            empty={empty}
            onOpen={({ id }) => navigate(detailHref("notification", id))}
            {...(isBeside
              ? {
                  selected: chosen?.id,
                  onSelect: ({ id }: Notification) => replaceRoute(placeHref(place, { ...given, id })),
                }
              : {})}
          />
          <Pager
            page={page}
            total={meta.total_count}
            pageSize={PAGE_SIZE}
            isSorted
            onTurn={(to) => navigate(placeHref(place, { ...given, id: "", page: `${to}` }))}
          />
        </div>
        {isBeside && chosen && (
          <div className="split-detail">
            <FindingCard key={chosen.id} notification={chosen} isBeside onDecided={() => beside.settle(chosen.id)} />
          </div>
        )}
      </div>
    );
  };
  return (
    <Screen heading={texts.nav[place]} focusKey={page} wide>
      {filters}
      <Answer query={answer}>{list}</Answer>
    </Screen>
  );
}

/** What is shown beside a list that is fetched anew from time to time: the chosen finding, or else the first. It stays when others
 * come in above it, and when it leaves the list because somebody else decided about it: a comment that is being typed is not lost,
 * and the next key is no decision about another finding. Only a decision that was made here lets it go with the list. Without a
 * list, what is shown stays. */
function useBeside(list: Notifications | undefined, listKey: string, chosen: string | null) {
  const kept = useRef<{ listKey: string; shown: Notification | undefined }>(undefined);
  const [settled, settle] = useState<string>();
  if (list) {
    const find = (wanted: string | null | undefined) => list.notifications.find(({ id }) => id === wanted);
    const before = kept.current?.listKey === listKey ? kept.current.shown : undefined;
    const stays = before?.id === settled ? undefined : before;
    // Whoever comes back after their session ended goes on with what they had begun.
    const begun = list.notifications.find(({ id }) => unsent.isKept(commentName(id)));
    kept.current = { listKey, shown: find(chosen) ?? find(before?.id) ?? stays ?? begun ?? list.notifications[0] };
  }
  return { shown: kept.current?.shown, settle };
}

function FindingCell({ notification }: { notification: Notification }) {
  const texts = useTexts();
  return (
    <>
      <span className="strong">{findingWords(texts, notification)}</span>
      <VideoTime notification={notification} />
    </>
  );
}

function ContentCell({ notification }: { notification: Notification }) {
  const { content_id, url } = notification.data;
  const title = useTitle(content_id);
  return (
    <>
      {title && <span className="strong">{title}</span>}
      {/* As text: what was found may be what nobody should open by mistake. */}
      {url && <code className="address">{url}</code>}
    </>
  );
}

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    () => window.matchMedia(query).matches,
  );
}
