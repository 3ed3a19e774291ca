// The members of the account: invited, allowed, made administrators, removed.

import { type Invitation, type Member, SCOPES, type Scope } from "./api";
import { type Desk, say, show, trouble } from "./desk";
import { ask, button, find, fresh, make, tick } from "./dom";

export async function showMembers(desk: Desk): Promise<void> {
  const { texts } = desk;
  try {
    const [members, invitations] = await Promise.all([desk.account.members(), desk.account.invitations()]);
    const list = make("ul", { class: "list", id: "members" });
    list.append(...members.map((member) => make("li", {}, person(desk, member))));
    show(texts.members, list, invitationForm(desk), ...pending(desk, invitations));
  } catch (error) {
    if (
      (await desk.try(() => Promise.reject(error))) === undefined &&
      document.querySelector("#banner:not([hidden])")
    ) {
      show(
        texts.members,
        trouble(texts, error, () => void showMembers(desk)),
      );
    }
  }
}

/** Does something about the members, then shows them anew; the keyboard goes to the top. */
async function change(desk: Desk, act: () => Promise<unknown>, done: string): Promise<boolean> {
  const changed = await desk.try(async () => {
    await act();
    return true;
  });
  if (changed) {
    await showMembers(desk);
    say(done);
    find("heading").focus();
  }
  return changed === true;
}

function person(desk: Desk, member: Member): HTMLElement {
  const { texts, session } = desk;
  const { id, email, username, admin, scopes } = member;
  const heading = make("h2", { id: fresh("member") }, username);
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
  const boxes = scopeBoxes(desk, scopes);
  const save = button(
    texts.save,
    () => void change(desk, () => desk.account.setScopes(id, boxes.chosen()), texts.saved),
  );
  const allowed = make("details", {}, make("summary", {}, texts.allowed), boxes.fieldset, save);
  const remove = button(
    texts.remove,
    async () => {
      if (await ask(texts.removeQuestion(username), texts.removeMeans, texts.remove, texts.cancel)) {
        await change(desk, () => desk.account.remove(id), texts.removed);
      }
    },
    { class: "final", "aria-describedby": heading.id },
  );
  const words = admin ? texts.takeAdministrator : texts.makeAdministrator;
  const turn = button(words, () => void change(desk, () => desk.account.setAdmin(id, !admin), texts.saved), {
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

function scopeBoxes(desk: Desk, chosen: Scope[]): { fieldset: HTMLElement; chosen: () => Scope[] } {
  const { texts } = desk;
  const ticks = SCOPES.map((scope) => ({ scope, ...tick(texts.scopes[scope], chosen.includes(scope), scope) }));
  const fieldset = make("fieldset", {}, make("legend", {}, texts.allowed), ...ticks.map(({ label }) => label));
  return { fieldset, chosen: () => ticks.filter(({ box }) => box.checked).map(({ scope }) => scope) };
}

function invitationForm(desk: Desk): HTMLElement {
  const { texts, session } = desk;
  const field = fresh("email");
  const email = make("input", {
    id: field,
    type: "email",
    required: true,
    minlength: "7",
    maxlength: "100",
    autocomplete: "off",
  });
  const admin = tick(texts.administrator, false);
  const boxes = scopeBoxes(desk, ["notifications:view", "notifications:manage"]);
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
    void change(desk, () => desk.account.invite(to, admin.box.checked, boxes.chosen()), texts.invited(to));
  });
  return form;
}

function pending(desk: Desk, invitations: Invitation[]): Node[] {
  if (invitations.length === 0) {
    return [];
  }
  const { texts } = desk;
  const list = make("ul", { class: "reviews", id: "invitations" });
  for (const { id, email, admin, expires_at } of invitations) {
    const words = [email, admin ? texts.administrator : "", texts.until(desk.moment(expires_at))];
    const line = make("span", { id: fresh("invitation") }, words.filter((word) => word !== "").join(", "));
    const revoke = button(texts.revoke, () => void change(desk, () => desk.account.revoke(id), texts.revoked), {
      class: "quiet",
      "aria-describedby": line.id,
    });
    list.append(make("li", {}, line, " ", revoke));
  }
  return [make("section", { class: "card" }, make("h2", {}, texts.pending), list)];
}
