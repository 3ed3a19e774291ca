// What a moderation found, and what members decide about it. The word that was said last counts.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import { Heading } from "react-aria-components/Heading";
import type { Notification, Review } from "../api/account";
import { useShortcuts } from "../keys/shortcuts";
import { useOneAtATime } from "../one-at-a-time";
import { detailHref } from "../router";
import { useAction, useSession, useTitle } from "../session-context";
import { fill, type Texts, useFormat, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import { TextArea } from "./field";
import { Icon } from "./icon";
import { Answer, Badge, Fact, Facts, Moment } from "./screen";

const MAX_COMMENT_CHARS = 500;

/** Under which name the comment on a finding is kept. */
export function commentName(id: string): string {
  return `comment on finding ${id}`;
}

export function isFace({ type }: Notification): boolean {
  return type === "FACE";
}

/** What was found, as a sentence's beginning. */
export function findingWords({ finding }: Texts, notification: Notification): string {
  const reasons = notification.data.reasons.map((reason) => finding.reasons[reason]).join(", ");
  return isFace(notification) ? fill(finding.found, { reasons }) : reasons;
}

/** When it is seen in a video. */
export function VideoTime({ notification: { data } }: { notification: Notification }) {
  const { finding } = useTexts();
  const format = useFormat();
  if (!data.frame_time || data.content_type === "IMAGE") {
    return null;
  }
  return <span className="soft">{fill(finding.inVideo, { seconds: format.number(data.frame_time) })}</span>;
}

/** What members have decided so far. */
export function OutcomeBadge({ notification }: { notification: Notification }) {
  const { finding } = useTexts();
  const { average_score, total_revies: all } = notification;
  const confirming = Math.round((average_score * all) / 100);
  if (all === 0) {
    return <Badge tone="plain">{finding.undecided}</Badge>;
  }
  if (confirming !== 0 && confirming !== all) {
    return (
      <Badge tone="warn" icon="different">
        {fill(finding.disputed, { confirming, all })}
      </Badge>
    );
  }
  return confirming > 0 ? (
    <Badge tone="bad" icon="check">
      {finding.confirmed}
    </Badge>
  ) : (
    <Badge tone="good" icon="close">
      {finding.dismissed}
    </Badge>
  );
}

interface FindingCardProps {
  notification: Notification;
  /** Whether it stands beside a list; then a link leads to it alone. */
  isBeside?: boolean;
  /** The reader has decided about it. */
  onDecided?(): void;
}

export function FindingCard({ notification, isBeside = false, onDecided }: FindingCardProps) {
  const texts = useTexts();
  const { may } = useSession();
  const { id, created_at, data } = notification;
  const { finding } = texts;
  const title = useTitle(data.content_id);
  const face = isFace(notification);
  return (
    <article className="card" aria-labelledby={`finding-${id}`}>
      <h2 id={`finding-${id}`}>{findingWords(texts, notification)}</h2>
      {face && (
        <div>
          <OutcomeBadge notification={notification} />
        </div>
      )}
      <Facts>
        <Fact term={face ? finding.foundAt : finding.happenedAt}>
          <Moment at={created_at} /> <VideoTime notification={notification} />
        </Fact>
        <Fact term={finding.failedBecause}>{data.error?.message}</Fact>
        <Fact term={finding.ageGroup}>{data.age_group && finding.ageGroups[data.age_group]}</Fact>
        <Fact term={finding.person}>
          {data.profile_id && may("profiles:view") && (
            <a href={detailHref("profile", data.profile_id)}>{finding.seePerson}</a>
          )}
        </Fact>
        <Fact term={finding.title}>{title}</Fact>
        <Fact term={finding.address}>{data.url && <code className="address">{data.url}</code>}</Fact>
      </Facts>
      {/* There is nothing to decide about a moderation that waits, begins or ends. */}
      {face && may("notifications:manage") && <DecisionForm id={id} onDecided={onDecided} />}
      {face && <Reviews id={id} />}
      <div className="answers">
        {isBeside && (
          <a href={detailHref("notification", id)}>
            <Icon name="external" /> {finding.openAlone}
          </a>
        )}
        {may("contents:view") && <a href={detailHref("content", data.content_id)}>{texts.search.openContent}</a>}
        {may("moderations:view") && (
          <a href={detailHref("moderation", data.moderation_id)}>{texts.search.openModeration}</a>
        )}
      </div>
    </article>
  );
}

function DecisionForm({ id, onDecided }: { id: string; onDecided: (() => void) | undefined }) {
  const { finding } = useTexts();
  const { account } = useSession();
  const act = useAction();
  const client = useQueryClient();
  const [comment, setComment] = useUnsent(commentName(id), "");
  const field = useRef<HTMLTextAreaElement>(null);
  const decide = useOneAtATime(async (word: "accept" | "dismiss", done: string) => {
    if (await act(() => account.decide(id, word, comment), done)) {
      // What was typed meanwhile is for the next word.
      setComment((now) => (now === comment ? "" : now));
      onDecided?.();
      for (const kind of ["notifications", "notification", "reviews"]) {
        void client.invalidateQueries({ queryKey: [kind] });
      }
    }
  });
  const confirm = () => decide("accept", finding.confirmedToast);
  const dismiss = () => decide("dismiss", finding.dismissedToast);
  useShortcuts([
    { keys: "a", label: finding.confirm, scope: "here", run: confirm },
    { keys: "d", label: finding.falseAlarm, scope: "here", run: dismiss },
    { keys: "c", label: finding.focusComment, scope: "here", run: () => field.current?.focus() },
  ]);
  return (
    <div className="decision">
      <TextArea
        ref={field}
        label={finding.comment}
        value={comment}
        onChange={setComment}
        most={MAX_COMMENT_CHARS}
        used={(used) => fill(finding.commentUsed, { used, most: MAX_COMMENT_CHARS })}
      />
      <div className="answers">
        <Button className="button primary" onPress={confirm}>
          {finding.confirm} <kbd>A</kbd>
        </Button>
        <Button className="button" onPress={dismiss}>
          {finding.falseAlarm} <kbd>D</kbd>
        </Button>
      </div>
    </div>
  );
}

function Reviews({ id }: { id: string }) {
  const { finding } = useTexts();
  const { account } = useSession();
  const [open, setOpen] = useState(false);
  const answer = useQuery({ queryKey: ["reviews", id], queryFn: () => account.reviews(id), enabled: open });
  return (
    <Disclosure className="disclosure" isExpanded={open} onExpandedChange={setOpen}>
      <Heading level={3}>
        <Button slot="trigger" className="disclosure-button">
          <Icon name="forward" /> {finding.reviews}
        </Button>
      </Heading>
      <DisclosurePanel>
        {open && (
          <Answer query={answer}>
            {(reviews) =>
              reviews.length === 0 ? (
                <p className="soft">{finding.noReviews}</p>
              ) : (
                <ul className="lines reviews">
                  {reviews.map((review) => (
                    <ReviewItem key={review.id} review={review} />
                  ))}
                </ul>
              )
            }
          </Answer>
        )}
      </DisclosurePanel>
    </Disclosure>
  );
}

function ReviewItem({ review }: { review: Review }) {
  const { finding, you } = useTexts();
  const { session } = useSession();
  const word = review.score >= 50 ? finding.confirmed : finding.dismissed;
  return (
    <li>
      <Moment at={review.created_at} />
      {review.user_id === session.member.id && ` (${you})`} <strong>{word}</strong>
      {review.description !== "" && ` “${review.description}”`}
    </li>
  );
}
