// The console: comes in by a link, then shows the inbox and the members. What follows `#` in a link is taken out of the
// address at once, and reaches no server before somebody presses the button: mail programs open links ahead of people.

import { choose, type Language } from "../shared/language";
import { Account, beginSession, endSession, Refused, resumeSession, type Session, sendLink } from "./api";
import { Desk, say, show, trouble, words } from "./desk";
import { button, find, make } from "./dom";
import { showInbox, showNotification } from "./inbox";
import { showMembers } from "./members";
import { TEXTS } from "./texts";

const language: Language = choose(navigator.languages);
const texts = TEXTS[language];
let desk: Desk | undefined;

type Way = { kind: "invitation" | "link"; token: string };

/** What the address says: a link, or a part of the console. */
function wayIn(): Way | undefined {
  const [, what, token] = /^#(invite|sign-in)=([\w-]{20,200})$/.exec(location.hash) ?? [];
  if (!what || !token) {
    return undefined;
  }
  history.replaceState(null, "", location.pathname);
  return { kind: what === "invite" ? "invitation" : "link", token };
}

async function start(): Promise<void> {
  document.documentElement.lang = language;
  const skip = find("skip");
  skip.textContent = texts.skip;
  find("leave").textContent = texts.signOut;
  find("leave").addEventListener("click", () => void leave());
  skip.addEventListener("click", (event) => {
    event.preventDefault();
    find("main").focus();
  });
  window.addEventListener("hashchange", () => route());
  const way = wayIn();
  if (way) {
    offer(way);
    return;
  }
  await resume();
}

/** Goes on with the session that the browser has, if it has one. */
async function resume(): Promise<void> {
  show(texts.loading);
  try {
    enter(await resumeSession());
  } catch (error) {
    if (error instanceof Refused && error.status === 401) {
      askForLink();
    } else {
      show(
        "Assay",
        trouble(texts, error, () => void resume()),
      );
    }
  }
}

/** Shows what a link is good for. */
function offer(way: Way): void {
  const said = way.kind === "invitation" ? texts.accept : texts.link;
  const act = button(said.act, async () => {
    act.disabled = true;
    try {
      enter(await beginSession({ [way.kind]: way.token }));
      find("heading").focus();
    } catch (error) {
      say(words(texts, error), true);
      if (error instanceof Refused && error.status === 401) {
        askForLink();
      } else {
        act.disabled = false;
      }
    }
  });
  show(said.heading, make("div", { class: "card narrow" }, make("p", {}, said.body), act));
}

/** Asks for an address to send a link to. */
function askForLink(): void {
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
      show(texts.linkSent, make("p", { class: "card narrow" }, texts.linkSentBody));
      say(texts.linkSentBody);
      find("heading").focus();
    } catch (error) {
      say(words(texts, error), true);
      send.disabled = false;
    }
  });
  show(texts.signIn, form);
}

function enter(session: Session): void {
  const over = () => {
    askForLink();
    say(texts.over, true);
    find("heading").focus();
  };
  desk = new Desk(language, session, new Account(session.account.id), over);
  say("");
  find("where").textContent = session.account.name;
  find("who").textContent = session.member.username;
  find("banner").hidden = false;
  find("skip").hidden = false;
  const parts = [
    ["inbox", texts.inbox],
    ["mine", texts.forYou],
    ...(desk.may("members:manage") ? [["members", texts.members]] : []),
  ];
  const links = parts.map(([part, words]) => make("li", {}, make("a", { href: `#${part}` }, words)));
  const nav = find("nav");
  nav.setAttribute("aria-label", texts.navigation);
  nav.replaceChildren(make("ul", {}, ...links));
  route(false);
}

/** Shows the part that the address names. */
function route(moved = true): void {
  const way = wayIn();
  if (way) {
    offer(way);
    return;
  }
  if (!desk) {
    return;
  }
  const here = desk;
  const [, id] = /^#notification=([\da-f-]{36})$/.exec(location.hash) ?? [];
  const members = location.hash === "#members" && here.may("members:manage");
  const mine = location.hash === "#mine";
  const part = members ? "#members" : mine ? "#mine" : "#inbox";
  for (const link of find("nav").querySelectorAll("a")) {
    const current = !id && link.getAttribute("href") === part;
    link.toggleAttribute("aria-current", current);
    if (current) {
      link.setAttribute("aria-current", "page");
    }
  }
  say("");
  const shown = () => {
    if (id) {
      return showNotification(here, id);
    }
    return members ? showMembers(here) : showInbox(here, mine ? "mine" : "everybody");
  };
  void shown().then(() => moved && find("heading").focus());
}

async function leave(): Promise<void> {
  try {
    await endSession();
    askForLink();
    find("heading").focus();
  } catch (error) {
    say(words(texts, error), true);
  }
}

function signedOut(): void {
  desk = undefined;
  find("banner").hidden = true;
  find("skip").hidden = true;
  find("who").textContent = "";
  find("where").textContent = "";
}

void start();
