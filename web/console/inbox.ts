// The inbox: what was found, and what members say to it.

import { type Notification, PAGE_SIZE, type Review } from "./api";
import { button, make, uniqueId } from "./dom";
import { errorCard, pager, type SessionContext, showPage } from "./session-context";

const MAX_COMMENT_CHARS = 500;

/** Which notifications are shown: the account's, or those that are meant for the reader. */
export type InboxFilter = "everybody" | "mine";

export async function showInbox(context: SessionContext, whose: InboxFilter = "everybody", page = 1): Promise<void> {
  const { texts } = context;
  const heading = whose === "mine" ? texts.forYou : texts.inbox;
  if (whose === "everybody" && !context.may("notifications:view")) {
    showPage(heading, make("p", { class: "card" }, texts.notAllowed));
    return;
  }
  try {
    const { account, session } = context;
    const { notifications, meta } = await (whose === "mine"
      ? account.inbox(session.member.id, page)
      : account.notifications(page));
    const pages = Math.max(1, Math.ceil(meta.total_count / PAGE_SIZE));
    const list = make("ul", { class: "list", id: "notifications" });
    list.append(...notifications.map((notification) => make("li", {}, notificationCard(context, notification))));
    const empty = make("p", { class: "card" }, texts.nothing);
    const turn = (to: number) => showInbox(context, whose, to);
    showPage(heading, notifications.length > 0 ? list : empty, ...pager(context, page, pages, turn));
  } catch (error) {
    if (!(await context.reportFailure(error))) {
      showPage(
        heading,
        errorCard(texts, error, () => void showInbox(context, whose, page)),
      );
    }
  }
}

/** One notification: where a link in a message leads. */
export async function showNotification(context: SessionContext, id: string): Promise<void> {
  const { texts } = context;
  const found = await context.try(() => context.account.notification(id));
  showPage(texts.notification, found ? notificationCard(context, found) : make("p", { class: "card" }, texts.notFound));
}

function notificationCard(context: SessionContext, notification: Notification): HTMLElement {
  const { texts } = context;
  const { id, created_at, data, type } = notification;
  const isFace = type === "FACE";
  const reasons = data.reasons.map((reason) => texts.reasons[reason]).join(", ");
  const heading = make("h2", { id: uniqueId("found") }, isFace ? texts.found(reasons) : reasons);
  const facts = make("dl", {});
  const fact = (term: string, ...value: (Node | string)[]) =>
    facts.append(make("div", {}, make("dt", {}, term), make("dd", {}, ...value)));
  const into =
    data.frame_time && data.content_type !== "IMAGE" ? `, ${texts.inVideoAt(formatSeconds(data.frame_time))}` : "";
  fact(isFace ? texts.seenAt : texts.happenedAt, context.timeElement(created_at), into);
  if (data.error) {
    fact(texts.failedBecause, data.error.message);
  }
  if (data.age_group) {
    fact(texts.ageGroup, texts.ageGroups[data.age_group]);
  }
  if (data.profile_id && context.may("profiles:view")) {
    fact(texts.person, make("a", { href: `#profile=${data.profile_id}` }, texts.whoIsIt));
  }
  if (data.url) {
    // As text: what was found may be what nobody should open by mistake.
    fact(texts.content, make("code", {}, data.url));
  }
  void context.titleOf(data.content_id).then((title) => title && fact(texts.title, title));
  const article = make("article", { class: "card", "aria-labelledby": heading.id }, heading, facts);
  if (!isFace) {
    // There is nothing to decide about a moderation that waits, begins or ends.
    return article;
  }
  const { box, load } = reviewList(context, id);
  const outcome = make("p", { class: "outcome" }, outcomeOf(context, notification));
  if (context.may("notifications:manage")) {
    const decided = (reviewed: Notification) => {
      outcome.textContent = outcomeOf(context, reviewed);
      return load();
    };
    article.append(decisionForm(context, id, decided));
  }
  article.append(outcome, box);
  return article;
}

/** What members have decided so far; nothing where nobody has. */
function outcomeOf({ texts }: SessionContext, { average_score, total_revies }: Notification): string {
  return total_revies === 0 ? "" : texts.decided(Math.round((average_score * total_revies) / 100), total_revies);
}

function decisionForm(
  context: SessionContext,
  id: string,
  decided: (reviewed: Notification) => Promise<void>,
): HTMLElement {
  const { texts } = context;
  const [field, count] = [uniqueId("comment"), uniqueId("count")];
  const comment = make("textarea", {
    id: field,
    rows: "2",
    maxlength: `${MAX_COMMENT_CHARS}`,
    "aria-describedby": count,
  });
  const used = make("p", { class: "count", id: count }, texts.left(0));
  comment.addEventListener("input", () => {
    used.textContent = texts.left([...comment.value].length);
  });
  const decide = (word: "accept" | "dismiss", done: string) => async () => {
    const reviewed = await context.try(() => context.account.decide(id, word, comment.value), done);
    if (reviewed) {
      comment.value = "";
      used.textContent = texts.left(0);
      await decided(reviewed);
    }
  };
  return make(
    "div",
    { class: "decision" },
    make("label", { for: field }, texts.comment),
    comment,
    used,
    make(
      "div",
      { class: "answers" },
      button(texts.acceptNotification, decide("accept", texts.accepted), { class: "accept" }),
      button(texts.dismiss, decide("dismiss", texts.dismissed), { class: "dismiss" }),
    ),
  );
}

function reviewList(context: SessionContext, id: string): { box: HTMLElement; load: () => Promise<void> } {
  const { texts } = context;
  const list = make("ul", { class: "reviews" });
  const box = make("details", {}, make("summary", {}, texts.reviews), list);
  const load = async () => {
    const found = await context.try(() => context.account.reviews(id));
    if (found) {
      const nothing = make("li", {}, texts.noReviews);
      list.replaceChildren(...(found.length > 0 ? found.map((review) => reviewItem(context, review)) : [nothing]));
    }
  };
  box.addEventListener("toggle", () => {
    if (box.open) {
      void load();
    }
  });
  // What is not open is read when it is opened.
  return { box, load: () => (box.open ? load() : Promise.resolve()) };
}

function reviewItem(context: SessionContext, review: Review): HTMLElement {
  const { texts, session } = context;
  const word = review.score >= 50 ? texts.accepted : texts.dismissed;
  const who = review.user_id === session.member.id ? ` (${texts.you})` : "";
  const said = review.description === "" ? "" : ` “${review.description}”`;
  return make("li", {}, context.timeElement(review.created_at), `${who} ${word}${said}`);
}

function formatSeconds(at: number): string {
  return new Intl.NumberFormat([...navigator.languages], { maximumFractionDigits: 1 }).format(at);
}
