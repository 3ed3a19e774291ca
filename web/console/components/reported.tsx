// What a moderation reported of faces, each with what was decided about it.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PAGE_SIZE } from "../api/account";
import { detailHref } from "../router";
import { useSession } from "../session-context";
import { fill, useTexts } from "../texts";
import { Pager } from "./data-table";
import { findingWords, isFace, OutcomeBadge, VideoTime } from "./finding";
import { Answer, Moment } from "./screen";

/** A page of it at a time; `isBrief` shows the first page only, and how many there are. */
export function Reported({ moderation, isBrief = false }: { moderation: string; isBrief?: boolean }) {
  const texts = useTexts();
  const { account, may } = useSession();
  const [page, setPage] = useState(1);
  const mayView = may("notifications:view");
  const answer = useQuery({
    queryKey: ["notifications", "moderation", moderation, page],
    queryFn: () => account.moderationNotifications(moderation, page),
    enabled: mayView,
  });
  if (!mayView) {
    return <p className="soft">{texts.contents.maySeeNoFindings}</p>;
  }
  return (
    <Answer query={answer}>
      {({ notifications, meta }) => {
        const shown = notifications.filter((one) => isFace(one) || !isBrief);
        return (
          <>
            {shown.length === 0 && <p className="soft">{texts.contents.nothingReported}</p>}
            <ul className="lines">
              {shown.map((one) => (
                <li key={one.id} className="line">
                  <span>
                    <a href={detailHref("notification", one.id)}>{findingWords(texts, one)}</a>{" "}
                    <VideoTime notification={one} />
                  </span>
                  <span className="line-end">
                    <Moment at={one.created_at} />
                    {isFace(one) && <OutcomeBadge notification={one} />}
                  </span>
                </li>
              ))}
            </ul>
            {isBrief && meta.total_count > PAGE_SIZE ? (
              <p className="soft">{fill(texts.contents.newestOf, { shown: PAGE_SIZE, all: meta.total_count })}</p>
            ) : (
              <Pager page={page} total={meta.total_count} pageSize={PAGE_SIZE} onTurn={setPage} />
            )}
          </>
        );
      }}
    </Answer>
  );
}
