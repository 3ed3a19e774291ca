// The console: comes in by a link, then shows the inbox and the members. What follows `#` in a link is taken out of the
// address at once, and reaches no server before somebody presses the button: mail programs open links ahead of people.

import { chooseLanguage, type Language } from "../shared/language";
import { Account, beginSession, endSession, RefusedError, resumeSession, type Session, sendLink } from "./api";
import { isDeepLink, keepDeepLink, takeDeepLink } from "./deep-link";
import { button, getById, make } from "./dom";
import { showInbox, showNotification } from "./inbox";
import { showMembers } from "./members";
import { showPeople, showProfile } from "./people";
import { announce, errorCard, errorText, SessionContext, showPage } from "./session-context";
import { TEXTS } from "./texts";

const language: Language = chooseLanguage(navigator.languages);
const texts = TEXTS[language];
let context: SessionContext | undefined;

type SignInLink = { kind: "invitation" | "link"; token: string };

/** What the address says: a link, or a part of the console. */
function takeSignInLink(): SignInLink | undefined {
  const [, what, token] = /^#(invite|sign-in)=([\w-]{20,200})$/.exec(location.hash) ?? [];
  if (!what || !token) {
    return undefined;
  }
  history.replaceState(null, "", location.pathname);
  return { kind: what === "invite" ? "invitation" : "link", token };
}

async function start(): Promise<void> {
  document.documentElement.lang = language;
  const skip = getById("skip");
  skip.textContent = texts.skip;
  getById("leave").textContent = texts.signOut;
  getById("leave").addEventListener("click", () => void signOut());
  skip.addEventListener("click", (event) => {
    event.preventDefault();
    getById("main").focus();
  });
  window.addEventListener("hashchange", () => route());
  const way = takeSignInLink();
  if (way) {
    showSignInLink(way);
    return;
  }
  if (isDeepLink(location.hash)) {
    keepDeepLink(location.hash);
  }
  await resume();
}

/** Goes on with the session that the browser has, if it has one. */
async function resume(): Promise<void> {
  showPage(texts.loading);
  try {
    startSession(await resumeSession());
  } catch (error) {
    if (error instanceof RefusedError && error.status === 401) {
      showSignInForm();
    } else {
      showPage(
        "Assay",
        errorCard(texts, error, () => void resume()),
      );
    }
  }
}

/** Shows what a link is good for. */
function showSignInLink(way: SignInLink): void {
  const said = way.kind === "invitation" ? texts.accept : texts.link;
  const act = button(said.act, async () => {
    act.disabled = true;
    try {
      startSession(await beginSession({ [way.kind]: way.token }));
      getById("heading").focus();
    } catch (error) {
      announce(errorText(texts, error), true);
      if (error instanceof RefusedError && error.status === 401) {
        showSignInForm();
      } else {
        act.disabled = false;
      }
    }
  });
  showPage(said.heading, make("div", { class: "card narrow" }, make("p", {}, said.body), act));
}

/** Asks for an address to send a link to. */
function showSignInForm(): void {
  signedOut();
  const email = make("input", {
    id: "email",
    type: "email",
    required: true,
    minlength: "7",
    maxlength: "100",
    autocomplete: "email",
  });
  const send = make("button", { type: "submit" }, texts.sendLink);
  const form = make(
    "form",
    { class: "card narrow", id: "sign-in" },
    make("p", {}, texts.signInIntro),
    make("label", { for: "email" }, texts.email),
    email,
    send,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    try {
      await sendLink(email.value);
      showPage(texts.linkSent, make("p", { class: "card narrow" }, texts.linkSentBody));
      announce(texts.linkSentBody);
      getById("heading").focus();
    } catch (error) {
      announce(errorText(texts, error), true);
      send.disabled = false;
    }
  });
  showPage(texts.signIn, form);
}

function startSession(session: Session): void {
  const over = () => {
    showSignInForm();
    announce(texts.over, true);
    getById("heading").focus();
  };
  context = new SessionContext(language, session, new Account(session.account.id), over);
  announce("");
  getById("where").textContent = session.account.name;
  getById("who").textContent = session.member.username;
  getById("banner").hidden = false;
  getById("skip").hidden = false;
  const followed = takeDeepLink();
  if (followed) {
    history.replaceState(null, "", followed);
  }
  const parts = [
    ["inbox", texts.inbox],
    ["mine", texts.forYou],
    ...(context.may("profiles:list") ? [["people", texts.people]] : []),
    ...(context.may("members:manage") ? [["members", texts.members]] : []),
  ];
  const links = parts.map(([part, words]) => make("li", {}, make("a", { href: `#${part}` }, words)));
  const nav = getById("nav");
  nav.setAttribute("aria-label", texts.navigation);
  nav.replaceChildren(make("ul", {}, ...links));
  route(false);
}

/** Shows the part that the address names. */
function route(moved = true): void {
  const way = takeSignInLink();
  if (way) {
    showSignInLink(way);
    return;
  }
  if (!context) {
    return;
  }
  const here = context;
  const { part, show } = placeOf(here, location.hash);
  for (const link of getById("nav").querySelectorAll("a")) {
    const current = link.getAttribute("href") === part;
    link.toggleAttribute("aria-current", current);
    if (current) {
      link.setAttribute("aria-current", "page");
    }
  }
  announce("");
  void show().then(() => moved && getById("heading").focus());
}

/** What an address shows, and the part of the navigation that it is. */
function placeOf(here: SessionContext, hash: string): { part?: string; show: () => Promise<void> } {
  const [, account, kind, id = ""] =
    /^#(?:account=([\da-f-]{36})&)?(notification|profile)=([\da-f-]{36})$/.exec(hash) ?? [];
  if (account && account !== here.session.account.id) {
    return { show: async () => showPage(texts.notification, make("p", { class: "card" }, texts.otherAccount)) };
  }
  if (kind === "notification") {
    return { show: () => showNotification(here, id) };
  }
  if (kind === "profile" && here.may("profiles:view")) {
    return { show: () => showProfile(here, id) };
  }
  if (hash === "#people" && here.may("profiles:list")) {
    return { part: hash, show: () => showPeople(here) };
  }
  if (hash === "#members" && here.may("members:manage")) {
    return { part: hash, show: () => showMembers(here) };
  }
  const whose = hash === "#mine" ? "mine" : "everybody";
  return { part: hash === "#mine" ? hash : "#inbox", show: () => showInbox(here, whose) };
}

async function signOut(): Promise<void> {
  try {
    await endSession();
    showSignInForm();
    getById("heading").focus();
  } catch (error) {
    announce(errorText(texts, error), true);
  }
}

function signedOut(): void {
  context = undefined;
  getById("banner").hidden = true;
  getById("skip").hidden = true;
  getById("who").textContent = "";
  getById("where").textContent = "";
}

void start();
