// The inbox: what was found, and what members say to it.

import { type Notification, PAGE, type Review } from "./api";
import { type Desk, say, show, trouble } from "./desk";
import { button, fresh, make } from "./dom";

const LONGEST = 500;

/** Which notifications are shown: the account's, or those that are meant for the reader. */
export type Whose = "everybody" | "mine";

export async function showInbox(desk: Desk, whose: Whose = "everybody", page = 1): Promise<void> {
  const { texts } = desk;
  const heading = whose === "mine" ? texts.forYou : texts.inbox;
  if (!desk.may("notifications:view")) {
    show(heading, make("p", { class: "card" }, texts.notAllowed));
    return;
  }
  try {
    const { account, session } = desk;
    const { notifications, meta } = await (whose === "mine"
      ? account.inbox(session.member.id, page)
      : account.notifications(page));
    const pages = Math.max(1, Math.ceil(meta.total_count / PAGE));
    const list = make("ul", { class: "list", id: "notifications" });
    list.append(...notifications.map((notification) => make("li", {}, item(desk, notification))));
    const empty = make("p", { class: "card" }, texts.nothing);
    show(heading, notifications.length > 0 ? list : empty, ...pager(desk, whose, page, pages));
  } catch (error) {
    if (
      (await desk.try(() => Promise.reject(error))) === undefined &&
      document.querySelector("#banner:not([hidden])")
    ) {
      show(
        heading,
        trouble(texts, error, () => void showInbox(desk, whose, page)),
      );
    }
  }
}

/** One notification: where a link in a message leads. */
export async function showNotification(desk: Desk, id: string): Promise<void> {
  const { texts } = desk;
  const found = await desk.try(() => desk.account.notification(id));
  show(texts.notification, found ? item(desk, found) : make("p", { class: "card" }, texts.notFound));
}

function pager(desk: Desk, whose: Whose, page: number, pages: number): Node[] {
  if (pages <= 1) {
    return [];
  }
  const { texts } = desk;
  const turn = (to: number) => async () => {
    await showInbox(desk, whose, to);
    say(texts.page(to, pages));
    document.getElementById("heading")?.focus();
  };
  const newer = button(texts.newer, turn(page - 1), { disabled: page === 1 });
  const older = button(texts.older, turn(page + 1), { disabled: page === pages });
  return [make("div", { class: "pager" }, newer, make("p", {}, texts.page(page, pages)), older)];
}

function item(desk: Desk, notification: Notification): HTMLElement {
  const { texts } = desk;
  const { id, created_at, data } = notification;
  const reasons = data.reasons.map((reason) => texts.reasons[reason]).join(", ");
  const heading = make("h2", { id: fresh("found") }, texts.found(reasons));
  const facts = make("dl", {});
  const fact = (term: string, ...value: (Node | string)[]) =>
    facts.append(make("div", {}, make("dt", {}, term), make("dd", {}, ...value)));
  const into = data.frame_time && data.content_type !== "IMAGE" ? `, ${texts.inVideoAt(seconds(data.frame_time))}` : "";
  fact(texts.seenAt, desk.time(created_at), into);
  if (data.age_group) {
    fact(texts.ageGroup, texts.ageGroups[data.age_group]);
  }
  if (data.url) {
    // As text: what was found may be what nobody should open by mistake.
    fact(texts.content, make("code", {}, data.url));
  }
  void desk.titleOf(data.content_id).then((title) => title && fact(texts.title, title));
  const article = make("article", { class: "card", "aria-labelledby": heading.id }, heading, facts);
  const { box, load } = reviews(desk, id);
  const outcome = make("p", { class: "outcome" }, outcomeOf(desk, notification));
  if (desk.may("notifications:manage")) {
    const decided = (reviewed: Notification) => {
      outcome.textContent = outcomeOf(desk, reviewed);
      return load();
    };
    article.append(decision(desk, id, decided));
  }
  article.append(outcome, box);
  return article;
}

/** What members have decided so far; nothing where nobody has. */
function outcomeOf({ texts }: Desk, { average_score, total_revies }: Notification): string {
  return total_revies === 0 ? "" : texts.decided(Math.round((average_score * total_revies) / 100), total_revies);
}

function decision(desk: Desk, id: string, decided: (reviewed: Notification) => Promise<void>): HTMLElement {
  const { texts } = desk;
  const [field, count] = [fresh("comment"), fresh("count")];
  const comment = make("textarea", { id: field, rows: "2", maxlength: `${LONGEST}`, "aria-describedby": count });
  const used = make("p", { class: "count", id: count }, texts.left(0));
  comment.addEventListener("input", () => {
    used.textContent = texts.left([...comment.value].length);
  });
  const decide = (word: "accept" | "dismiss", done: string) => async () => {
    const reviewed = await desk.try(() => desk.account.decide(id, word, comment.value), done);
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

function reviews(desk: Desk, id: string): { box: HTMLElement; load: () => Promise<void> } {
  const { texts } = desk;
  const list = make("ul", { class: "reviews" });
  const box = make("details", {}, make("summary", {}, texts.reviews), list);
  const load = async () => {
    const found = await desk.try(() => desk.account.reviews(id));
    if (found) {
      const nothing = make("li", {}, texts.noReviews);
      list.replaceChildren(...(found.length > 0 ? found.map((review) => line(desk, review)) : [nothing]));
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

function line(desk: Desk, review: Review): HTMLElement {
  const { texts, session } = desk;
  const word = review.score >= 50 ? texts.accepted : texts.dismissed;
  const who = review.user_id === session.member.id ? ` (${texts.you})` : "";
  const said = review.description === "" ? "" : ` “${review.description}”`;
  return make("li", {}, desk.time(review.created_at), `${who} ${word}${said}`);
}

function seconds(at: number): string {
  return new Intl.NumberFormat([...navigator.languages], { maximumFractionDigits: 1 }).format(at);
}
