// The people whom the account knows: who is banned and why, and which faces were dismissed as not being theirs.

import { type Dismissal, PAGE_SIZE, type Profile, type ProfileItem } from "./api";
import { button, checkbox, confirmAction, make, uniqueId } from "./dom";
import { announce, errorCard, pager, type SessionContext, showPage } from "./session-context";

const MAX_REASON_CHARS = 500;
const MAX_REFERENCE_CHARS = 200;
const DAY_MS = 86_400_000;
/** For how long somebody may be banned; without a number, until the ban is lifted. */
const BAN_DAYS = [undefined, 1, 7, 30, 365] as const;

/** Which people are listed. */
export interface PeopleFilter {
  banned: boolean;
  reference: string;
}

export async function showPeople(
  context: SessionContext,
  filter: PeopleFilter = { banned: false, reference: "" },
  page = 1,
): Promise<void> {
  const { texts } = context;
  try {
    const { profiles, total_count } = await context.account.profiles(filter, page);
    const list = make("ul", { class: "list", id: "people" });
    list.append(...profiles.map((profile) => make("li", {}, profileLink(context, profile))));
    const empty = make("p", { class: "card" }, texts.nobody);
    const pages = Math.max(1, Math.ceil(total_count / PAGE_SIZE));
    const turn = (to: number) => showPeople(context, filter, to);
    const shown = profiles.length > 0 ? list : empty;
    showPage(texts.people, filterForm(context, filter), shown, ...pager(context, page, pages, turn));
  } catch (error) {
    if (!(await context.reportFailure(error))) {
      showPage(
        texts.people,
        errorCard(texts, error, () => void showPeople(context, filter)),
      );
    }
  }
}

function filterForm(context: SessionContext, filter: PeopleFilter): HTMLElement {
  const { texts } = context;
  const field = uniqueId("reference");
  const reference = make("input", { id: field, type: "search", maxlength: `${MAX_REFERENCE_CHARS}` });
  reference.value = filter.reference;
  const banned = checkbox(texts.bannedOnly, filter.banned);
  const form = make(
    "form",
    { class: "card filter", id: "find-people", role: "search" },
    make("label", { for: field }, texts.referenceIs),
    reference,
    banned.label,
    make("button", { type: "submit" }, texts.find),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await showPeople(context, { banned: banned.box.checked, reference: reference.value });
    document.getElementById("heading")?.focus();
  });
  return form;
}

function nameOf({ texts }: SessionContext, { display_name, active }: ProfileItem): string {
  return display_name || (active ? texts.nameless : texts.deleted);
}

function profileLink(context: SessionContext, profile: ProfileItem): HTMLElement {
  const { texts } = context;
  const name = nameOf(context, profile);
  const link = context.may("profiles:view") ? make("a", { href: `#profile=${profile.profile_id}` }, name) : name;
  const badge = profile.is_banned ? make("p", { class: "badge" }, texts.banned) : undefined;
  const reference = profile.reference ? make("p", {}, `${texts.reference}: ${profile.reference}`) : undefined;
  return make("article", { class: "card" }, make("h2", {}, link), badge, reference);
}

export async function showProfile(context: SessionContext, id: string): Promise<void> {
  const { texts } = context;
  const profile = await context.try(() => context.account.profile(id));
  if (!profile) {
    showPage(texts.person, make("p", { class: "card" }, texts.noPerson));
    return;
  }
  const sections = [profileCard(context, profile)];
  if (profile.active && context.may("notifications:view")) {
    const dismissals = await context.try(() => context.account.dismissals(id));
    sections.push(dismissalCard(context, id, dismissals ?? []));
  }
  showPage(nameOf(context, profile), ...sections);
}

/** Does something about a profile, then shows it anew; the keyboard goes to the top. */
async function applyChange(context: SessionContext, id: string, act: () => Promise<unknown>, done: string) {
  const changed = await context.try(async () => {
    await act();
    return true;
  });
  if (changed) {
    await showProfile(context, id);
    announce(done);
    document.getElementById("heading")?.focus();
  }
}

function profileCard(context: SessionContext, profile: Profile): HTMLElement {
  const { texts, session } = context;
  const { profile_id: id, ban, groups, faces, reference, is_banned, active } = profile;
  const facts = make("dl", {});
  const fact = (term: string, ...value: (Node | string)[]) =>
    facts.append(make("div", {}, make("dt", {}, term), make("dd", {}, ...value)));
  if (reference) {
    fact(texts.reference, reference);
  }
  fact(texts.known, context.timeElement(profile.created_at));
  fact(texts.faces, `${faces.length}`);
  if (groups.length > 0) {
    fact(texts.groups, groups.map(({ label }) => label).join(", "));
  }
  if (ban) {
    fact(texts.bannedSince, context.timeElement(ban.since), ban.user_id === session.member.id ? ` (${texts.you})` : "");
    if (ban.until) {
      fact(texts.bannedUntil, context.timeElement(ban.until));
    }
    if (ban.reason) {
      fact(texts.bannedBecause, ban.reason);
    }
  }
  const badge = is_banned ? make("p", { class: "badge" }, texts.banned) : undefined;
  const mayBan = active && (context.may("profiles:manage") || context.may("flags:manage"));
  const card = make("section", { class: "card" }, badge, facts);
  if (mayBan && is_banned) {
    const lift = button(
      texts.liftBan,
      async () => {
        if (
          await confirmAction(
            texts.liftQuestion(nameOf(context, profile)),
            texts.liftMeans,
            texts.liftBan,
            texts.cancel,
          )
        ) {
          await applyChange(context, id, () => context.account.unban(id), texts.banLifted);
        }
      },
      { class: "final" },
    );
    card.append(make("div", { class: "answers" }, lift));
  } else if (mayBan) {
    card.append(banForm(context, id));
  }
  return card;
}

function banForm(context: SessionContext, id: string): HTMLElement {
  const { texts } = context;
  const [why, howLong, count] = [uniqueId("why"), uniqueId("how-long"), uniqueId("count")];
  const reason = make("textarea", {
    id: why,
    rows: "2",
    maxlength: `${MAX_REASON_CHARS}`,
    "aria-describedby": count,
  });
  const used = make("p", { class: "count", id: count }, texts.left(0));
  reason.addEventListener("input", () => {
    used.textContent = texts.left([...reason.value].length);
  });
  const days = make("select", { id: howLong });
  days.append(...BAN_DAYS.map((many) => make("option", { value: `${many ?? ""}` }, texts.banFor(many))));
  const form = make(
    "form",
    { class: "decision", id: "ban" },
    make("label", { for: why }, texts.banReason),
    reason,
    used,
    make("label", { for: howLong }, texts.banLength),
    days,
    make("div", { class: "answers" }, make("button", { type: "submit", class: "final" }, texts.ban)),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const until = days.value === "" ? undefined : new Date(Date.now() + Number(days.value) * DAY_MS).toISOString();
    const ban = { ...(reason.value === "" ? {} : { reason: reason.value }), ...(until ? { until } : {}) };
    void applyChange(context, id, () => context.account.ban(id, ban), texts.isBanned);
  });
  return make("details", {}, make("summary", {}, texts.banThem), form);
}

function dismissalCard(context: SessionContext, profile: string, dismissals: Dismissal[]): HTMLElement {
  const { texts } = context;
  const list = make("ul", { class: "reviews", id: "dismissals" });
  list.append(...dismissals.map((dismissal) => dismissalItem(context, profile, dismissal)));
  const nothing = make("p", {}, texts.noDismissals);
  return make(
    "section",
    { class: "card", "aria-labelledby": "dismissals-heading" },
    make("h2", { id: "dismissals-heading" }, texts.dismissals),
    make("p", {}, texts.dismissalsMean),
    dismissals.length > 0 ? list : nothing,
  );
}

function dismissalItem(context: SessionContext, profile: string, dismissal: Dismissal): HTMLElement {
  const { texts, session } = context;
  const { id, created_at, content_id, notification_id, user_id, this_content_only } = dismissal;
  const line = make("span", { id: uniqueId("dismissal") }, context.timeElement(created_at));
  if (user_id === session.member.id) {
    line.append(` (${texts.you})`);
  }
  if (content_id) {
    void context.titleOf(content_id).then((title) => title && line.append(` “${title}”`));
  }
  if (this_content_only) {
    line.append(`, ${texts.inThatContentOnly}`);
  }
  const item = make("li", {}, line, " ");
  if (notification_id) {
    const words = texts.notification;
    item.append(make("a", { href: `#notification=${notification_id}`, "aria-describedby": line.id }, words), " ");
  }
  if (context.may("notifications:manage")) {
    const undo = () =>
      void applyChange(context, profile, () => context.account.undoDismissal(profile, id), texts.dismissalUndone);
    item.append(button(texts.undo, undo, { class: "quiet", "aria-describedby": line.id }));
  }
  return item;
}
