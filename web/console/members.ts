// The members of the account: invited, allowed, made administrators, removed.

import { type Invitation, type Member, SCOPES, type Scope } from "./api";
import { button, checkbox, confirmAction, getById, make, uniqueId } from "./dom";
import { announce, errorCard, type SessionContext, showPage } from "./session-context";

export async function showMembers(context: SessionContext): Promise<void> {
  const { texts } = context;
  try {
    const [members, invitations] = await Promise.all([context.account.members(), context.account.invitations()]);
    const list = make("ul", { class: "list", id: "members" });
    list.append(...members.map((member) => make("li", {}, memberCard(context, member))));
    showPage(texts.members, list, invitationForm(context), ...invitationList(context, invitations));
  } catch (error) {
    if (!(await context.reportFailure(error))) {
      showPage(
        texts.members,
        errorCard(texts, error, () => void showMembers(context)),
      );
    }
  }
}

/** Does something about the members, then shows them anew; the keyboard goes to the top. */
async function applyChange(context: SessionContext, act: () => Promise<unknown>, done: string): Promise<boolean> {
  const changed = await context.try(async () => {
    await act();
    return true;
  });
  if (changed) {
    await showMembers(context);
    announce(done);
    getById("heading").focus();
  }
  return changed === true;
}

function memberCard(context: SessionContext, member: Member): HTMLElement {
  const { texts, session } = context;
  const { id, email, username, admin, scopes } = member;
  const heading = make("h2", { id: uniqueId("member") }, username);
  if (id === session.member.id) {
    heading.append(` (${texts.you})`);
  }
  const may = admin ? texts.everything : scopes.map((scope) => texts.scopes[scope]).join(", ");
  const facts = make(
    "dl",
    {},
    make("div", {}, make("dt", {}, texts.email), make("dd", {}, email)),
    make("div", {}, make("dt", {}, texts.may), make("dd", {}, may === "" ? "–" : may)),
  );
  const boxes = scopeBoxes(context, scopes);
  const save = button(
    texts.save,
    () => void applyChange(context, () => context.account.setScopes(id, boxes.chosen()), texts.saved),
  );
  const allowed = make("details", {}, make("summary", {}, texts.allowed), boxes.fieldset, save);
  const remove = button(
    texts.remove,
    async () => {
      if (await confirmAction(texts.removeQuestion(username), texts.removeMeans, texts.remove, texts.cancel)) {
        await applyChange(context, () => context.account.remove(id), texts.removed);
      }
    },
    { class: "final", "aria-describedby": heading.id },
  );
  const words = admin ? texts.takeAdministrator : texts.makeAdministrator;
  const turn = button(words, () => void applyChange(context, () => context.account.setAdmin(id, !admin), texts.saved), {
    class: "quiet",
    "aria-describedby": heading.id,
  });
  const mayTurn = session.member.admin;
  const mayRemove = mayTurn || !admin;
  const acts = make("div", { class: "answers" }, mayTurn ? turn : undefined, mayRemove ? remove : undefined);
  const badge = admin ? make("p", { class: "badge" }, texts.administrator) : undefined;
  const labelled = { class: "card", "aria-labelledby": heading.id };
  return make("article", labelled, heading, badge, facts, admin ? undefined : allowed, acts);
}

function scopeBoxes(context: SessionContext, chosen: Scope[]): { fieldset: HTMLElement; chosen: () => Scope[] } {
  const { texts } = context;
  const ticks = SCOPES.map((scope) => ({ scope, ...checkbox(texts.scopes[scope], chosen.includes(scope), scope) }));
  const fieldset = make("fieldset", {}, make("legend", {}, texts.allowed), ...ticks.map(({ label }) => label));
  return { fieldset, chosen: () => ticks.filter(({ box }) => box.checked).map(({ scope }) => scope) };
}

function invitationForm(context: SessionContext): HTMLElement {
  const { texts, session } = context;
  const field = uniqueId("email");
  const email = make("input", {
    id: field,
    type: "email",
    required: true,
    minlength: "7",
    maxlength: "100",
    autocomplete: "off",
  });
  const admin = checkbox(texts.administrator, false);
  const boxes = scopeBoxes(context, ["notifications:view", "notifications:manage"]);
  const form = make(
    "form",
    { class: "card", id: "invite", "aria-labelledby": "invite-heading" },
    make("h2", { id: "invite-heading" }, texts.invite),
    make("label", { for: field }, texts.email),
    email,
    session.member.admin ? admin.label : undefined,
    make("details", {}, make("summary", {}, texts.allowed), boxes.fieldset),
    make("button", { type: "submit" }, texts.sendInvitation),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const to = email.value;
    void applyChange(context, () => context.account.invite(to, admin.box.checked, boxes.chosen()), texts.invited(to));
  });
  return form;
}

function invitationList(context: SessionContext, invitations: Invitation[]): Node[] {
  if (invitations.length === 0) {
    return [];
  }
  const { texts } = context;
  const list = make("ul", { class: "reviews", id: "invitations" });
  for (const { id, email, admin, expires_at } of invitations) {
    const words = [email, admin ? texts.administrator : "", texts.until(context.formatMoment(expires_at))];
    const line = make("span", { id: uniqueId("invitation") }, words.filter((word) => word !== "").join(", "));
    const revoke = button(
      texts.revoke,
      () => void applyChange(context, () => context.account.revoke(id), texts.revoked),
      {
        class: "quiet",
        "aria-describedby": line.id,
      },
    );
    list.append(make("li", {}, line, " ", revoke));
  }
  return [make("section", { class: "card" }, make("h2", {}, texts.pending), list)];
}
