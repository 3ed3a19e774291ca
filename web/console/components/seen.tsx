// Where somebody was seen: faces of past moderations, the most similar first. Each leads to its content, to what was reported of
// it, and to whom it was taken for.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import type { Account, FindingMatch, FindingMatches, FindingSearch, Notification } from "../api/account";
import { detailHref, navigate } from "../router";
import { useSession, useTitle } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";
import { SimilarityScale } from "./charts";
import { type DataColumn, DataTable } from "./data-table";
import { Answer, Moment } from "./screen";

/** Findings of one answer. */
const MAX_FINDINGS = 20;
/** So many pages of a moderation's notifications are looked through for that of a finding. */
const MAX_NOTIFICATION_PAGES = 5;

interface SeenProps {
  search: Pick<FindingSearch, "face"> | Pick<FindingSearch, "profile_id">;
  /** Tells this search from others. */
  searchKey: string;
}

export function Seen({ search, searchKey }: SeenProps) {
  const { account } = useSession();
  const { search: words } = useTexts();
  const answer = useInfiniteQuery({
    queryKey: ["seen", searchKey],
    queryFn: ({ pageParam, signal }) =>
      account.searchFindings(
        { ...search, most: MAX_FINDINGS, ...(pageParam ? { continue_from: pageParam } : {}) },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: ({ continue_from }) => continue_from,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Answer query={answer}>
      {({ pages }) => (
        <>
          <SeenTable findings={pages.flatMap(({ findings }) => findings)} />
          <SearchBounds pages={pages} />
          {answer.hasNextPage && (
            <div className="answers">
              <Button
                className="button"
                isDisabled={answer.isFetchingNextPage}
                onPress={() => void answer.fetchNextPage()}
              >
                {words.searchOlder}
              </Button>
            </div>
          )}
        </>
      )}
    </Answer>
  );
}

function SeenTable({ findings }: { findings: FindingMatch[] }) {
  const texts = useTexts();
  const { may } = useSession();
  const { search } = texts;
  const columns: DataColumn<FindingMatch>[] = [
    { id: "content", heading: texts.inbox.content, cell: (one) => <SeenContent found={one} /> },
    {
      id: "seen",
      heading: search.seenAt,
      cell: ({ observed_at }) => <Moment at={observed_at} />,
      sortBy: ({ observed_at }) => observed_at,
    },
    {
      id: "similarity",
      heading: search.similarity,
      cell: ({ similarity, distance, false_match_rate }) => (
        <SimilarityScale similarity={similarity} distance={distance} rate={false_match_rate} isShort />
      ),
      sortBy: ({ similarity }) => similarity,
    },
    {
      id: "taken",
      heading: search.takenFor,
      cell: ({ profile_id, is_banned }) => {
        const words = is_banned ? texts.finding.reasons.BANNED_PROFILE : search.known;
        if (!profile_id) {
          return texts.finding.reasons.UNKNOWN_FACE;
        }
        return may("profiles:view") ? <a href={detailHref("profile", profile_id)}>{words}</a> : words;
      },
    },
    {
      id: "age",
      heading: texts.finding.ageGroup,
      cell: ({ age_group }) => texts.finding.ageGroups[age_group],
    },
    { id: "finding", heading: texts.inbox.finding, cell: (one) => <FindingLink found={one} /> },
  ];
  return (
    <DataTable
      label={search.whereSeen}
      columns={columns}
      rows={findings}
      idOf={({ finding_id }) => finding_id}
      empty={search.nowhere}
      {...(may("contents:view")
        ? { onOpen: ({ content_id }: FindingMatch) => navigate(detailHref("content", content_id)) }
        : {})}
    />
  );
}

function SeenContent({ found }: { found: FindingMatch }) {
  const texts = useTexts();
  const format = useFormat();
  const { may } = useSession();
  const { content_id, content_type, frame_time, url } = found;
  const name = useTitle(content_id) || texts.evidence.types[content_type];
  return (
    <>
      {may("contents:view") ? <a href={detailHref("content", content_id)}>{name}</a> : name}
      {content_type !== "IMAGE" && (
        <span className="soft">{fill(texts.finding.inVideo, { seconds: format.number(frame_time) })}</span>
      )}
      {url && <code className="address">{url}</code>}
    </>
  );
}

/** The notification of a finding: not every face that is seen is reported. */
function FindingLink({ found }: { found: FindingMatch }) {
  const { search } = useTexts();
  const { account, may } = useSession();
  const { moderation_id, finding_id } = found;
  const { data: reported } = useQuery({
    queryKey: ["reported", moderation_id],
    queryFn: () => reportedFaces(account, moderation_id),
    enabled: may("notifications:view"),
    retry: false,
  });
  const notification = reported?.notifications.find((one) => one.data.finding_id === finding_id);
  return (
    <>
      {notification && (
        <span>
          <a href={detailHref("notification", notification.id)}>{search.openFinding}</a>
        </span>
      )}
      {reported?.isComplete && !notification && <span className="soft">{search.notReported}</span>}
      {may("moderations:view") && (
        <span>
          <a href={detailHref("moderation", moderation_id)}>{search.openModeration}</a>
        </span>
      )}
    </>
  );
}

interface Reported {
  /** The newest ones. */
  notifications: Notification[];
  /** Whether there are no older ones. */
  isComplete: boolean;
}

async function reportedFaces(account: Account, moderation: string): Promise<Reported> {
  const all: Notification[] = [];
  for (let page = 1; page <= MAX_NOTIFICATION_PAGES; page += 1) {
    const { notifications, meta } = await account.moderationNotifications(moderation, page);
    all.push(...notifications);
    if (notifications.length === 0 || all.length >= meta.total_count) {
      return { notifications: all, isComplete: true };
    }
  }
  return { notifications: all, isComplete: false };
}

/** What was searched, and what cannot be found any more. */
function SearchBounds({ pages }: { pages: FindingMatches[] }) {
  const { search } = useTexts();
  const format = useFormat();
  const sum = (of: (page: FindingMatches) => number) => pages.reduce((all, page) => all + of(page), 0);
  const shown = sum(({ findings }) => findings.length);
  const alike = sum(({ total_count }) => total_count);
  const other = sum(({ not_comparable }) => not_comparable);
  const { searched_back_to: oldest, keep_embeddings_days: days } = pages.at(-1) ?? {};
  return (
    <div className="soft">
      <p>
        {fill(search.compared, { compared: format.number(sum(({ compared }) => compared)) })}{" "}
        {oldest && fill(search.backTo, { day: format.day(oldest) })}
      </p>
      {alike > shown && <p>{fill(search.mostSimilar, { shown: format.number(shown), all: format.number(alike) })}</p>}
      {other > 0 && <p>{fill(search.notComparable, { count: format.number(other) })}</p>}
      {days !== undefined && <p>{fill(search.keptFor, { span: format.span(86_400 * days) })}</p>}
    </div>
  );
}
