// The screens that belong to no method: headings, elements and buttons. They do not call the server.

import { button, type Child, make } from "../shared/dom";
import { ovalSketch, paragraph, primaryButton, row, spinner, tickIcon } from "../shared/elements";
import { handOffScreen } from "../shared/handoff";
import type { Screen } from "../shared/page-layout";
import { linkUrl } from "../shared/safe-url";
import { isLeftToApp, type Method, type MethodName, type Session, sessionThreshold } from "./session";
import { type LostReason, type OverReason, offeredMethods } from "./state-machine/state";
import { formatDuration, interpolate, type Language, lookup, type Texts } from "./texts";

/** What the buttons of a screen can do. */
export interface ScreenActions {
  choose(method: Method): void;
  consent(given: boolean): void;
  /** Asks before the consent to face processing is taken back. */
  takeBackConsent(): void;
  /** Goes back to the choice of methods. */
  backToChoice(): void;
  handOff(): void;
  cancel(): void;
}

/** Everything that the screens of a session show. */
export interface ScreenContext {
  session: Session;
  texts: Texts;
  language: Language;
  actions: ScreenActions;
  /** Whether another device waits for this one. */
  handedOff: boolean;
  /** Whether a phone could take over. */
  canHandOff: boolean;
  canGiveConsent: boolean;
  canTakeBackConsent: boolean;
  /** The business's address to return to, if this page may go there. */
  returnUrl: string | undefined;
  /** Whether another tab of this browser waits for this one. */
  tabWaits: boolean;
  /** The address of the page that deletes results kept under a passkey. */
  forgetPath: string | undefined;
  embedded: boolean;
}

/** The business's name, or a placeholder. */
export function businessName(session: Session, texts: Texts): string {
  return session.business || texts.aBusiness;
}

/** An issuer's session has texts of its own, because it tells no business anything. */
function isIssuerSession({ issuerThreshold: issues }: Session): boolean {
  return issues !== undefined;
}

export function loading({ loading: { heading, body } }: Texts): Screen {
  return { heading, body: [spinner(), paragraph(body)] };
}

/** Who asks and why, what is kept, and the methods; after a failure, why it failed and which methods remain. */
export function start(shown: ScreenContext): Screen {
  const { session, texts, language, actions, canHandOff: mayHandOff } = shown;
  const { start: say } = texts;
  const { fresh, again } = offeredMethods(session, shown.handedOff);
  const offered = [...fresh, ...again];
  // Nobody chose what the page tried by itself, so it is no failure of theirs.
  const known = session.methods.filter((one) => !one.silent || offered.includes(one));
  const failed = again.length > 0 || known.some(({ state }) => state === "EXHAUSTED");
  const asked = { age: sessionThreshold(session) ?? "", business: businessName(session, texts) };
  const tried = known.find(({ method }) => method === session.triedMethod);
  const why = failed && tried ? whyFailed(session, tried.method, texts) : undefined;
  if (shown.handedOff && offered.length === 0) {
    return {
      heading: say.otherDevice,
      body: [
        why ? make("p", { class: "why" }, why) : undefined,
        paragraph(say.otherDeviceBody),
        ...consentElements(shown),
      ],
      spoken: [why, say.otherDeviceBody].filter((said) => said !== undefined).join(" "),
    };
  }
  const kept =
    session.keptDays && !isIssuerSession(session)
      ? interpolate(say.kept, { time: formatDuration(session.keptDays * 86_400, language) })
      : say.keptNot;
  const { heading, told } = purpose(session, texts);
  const explained: Child[] = failed
    ? [why ? make("p", { class: "why" }, why) : undefined]
    : [
        paragraph(interpolate(isIssuerSession(session) ? texts.issue.who : say.who, asked)),
        paragraph(interpolate(told, asked)),
        paragraph(kept, "soft"),
        links(shown),
        make("h2", { id: "ways" }, say.choose),
      ];
  return {
    heading: failed ? (fresh.length > 0 ? say.failedHeading : say.failedAgain) : interpolate(heading, asked),
    body: [
      ...explained,
      make("ul", { class: "ways" }, ...offered.map((method) => methodItem(method, shown))),
      isLeftToApp(session) ? paragraph(interpolate(say.inApp, asked), "soft") : undefined,
      ...consentElements(shown),
      mayHandOff ? row(button(texts.phone.offer, actions.handOff, { class: "quiet" })) : undefined,
    ],
    ...(why ? { spoken: why } : {}),
  };
}

/** At the choice of methods: what a refused consent leaves out, and how to change one's mind. */
function consentElements(shown: ScreenContext): Child[] {
  const { session, texts, actions } = shown;
  const declined = session.methods.some(({ state }) => state === "DECLINED");
  return [
    declined ? paragraph(texts.start.declined, "soft") : undefined,
    declined ? row(button(texts.start.after, () => actions.consent(true), { class: "quiet" })) : undefined,
    takeBackRow(shown),
  ];
}

/** Says that a method failed and, where that helps, why. */
function whyFailed(session: Session, tried: MethodName, texts: Texts): string {
  const failed = interpolate(texts.start.failed, { method: texts.methods[tried].name });
  const reason = reasonOf(session, texts);
  return reason === undefined ? failed : `${failed} ${reason}`;
}

/** Why the last attempt failed, if the person can do something about it. */
function reasonOf({ triedMethod: tried, reason }: Session, { reasons }: Texts): string | undefined {
  return reason === "NOT_FOUND" ? lookup(reasons, tried) : lookup(reasons, reason);
}

function purpose({ type }: Session, { start: say }: Texts): { heading: string; told: string } {
  switch (type) {
    case "AGE":
      return { heading: say.age, told: say.toldAge };
    case "UNDER":
      return { heading: say.under, told: say.toldUnder };
    default:
      return { heading: say.over, told: say.toldOver };
  }
}

function methodItem(method: Method, { session, texts, actions }: ScreenContext): HTMLElement {
  const { start: say } = texts;
  const { name } = texts.methods[method.method];
  const hint = hintOf(method, texts);
  const strict =
    session.type === "AGE" || method.threshold === sessionThreshold(session) ? undefined : method.threshold;
  const failed = method.state === "FAILED";
  const lines = [
    hint,
    strict === undefined ? "" : interpolate(session.type === "UNDER" ? say.strict : say.stricter, { age: strict }),
    failed ? `${say.again}. ${interpolate(say.left, { count: method.remaining })}` : "",
  ].filter((line) => line !== "");
  const made = make(
    "button",
    { type: "button", class: "way" },
    make("strong", {}, name),
    ...lines.map((line) => make("span", {}, line)),
  );
  made.addEventListener("click", () => actions.choose(method));
  return make("li", {}, made);
}

/** The countries whose driving licences are read. */
const LICENCE_COUNTRIES: readonly string[] = ["USA", "CAN"];
/** The browser regions whose users are likely to have one. */
const LICENCE_REGIONS: readonly string[] = ["US", "CA"];

/** What a method asks for. Driving licences are mentioned only to people who may have one that is accepted. */
function hintOf({ method, country }: Method, texts: Texts): string {
  const { hint } = texts.methods[method];
  const region = navigator.languages.map((tag) => tag.split("-")[1]).find((part) => part?.length === 2) ?? "";
  const licence = country === undefined ? LICENCE_REGIONS.includes(region) : LICENCE_COUNTRIES.includes(country);
  return method === "DOC_SCAN" && licence ? texts.licenceHint : hint;
}

function links({ session, texts: { start: say, forget }, forgetPath: keysAt }: ScreenContext): HTMLElement | undefined {
  const keeps = session.methods.some(({ method }) => method === "SVC_KEY");
  const all = [
    [session.privacyPolicy, say.privacy],
    [session.terms, say.terms],
    [keeps && keysAt ? new URL(keysAt, location.href).href : undefined, forget.link],
  ] as const;
  const made = all.flatMap(([address, words]) => {
    const href = linkUrl(address)?.href;
    return href ? [make("a", { href, target: "_blank", rel: "noopener noreferrer" }, words)] : [];
  });
  return made.length > 0 ? make("p", { class: "links" }, ...made) : undefined;
}

/** Asks for consent to face processing. Without it the other methods remain. */
export function consent({ texts: { consent: say }, actions }: ScreenContext, method: Method): Screen {
  const what = method.method === "DOC_SCAN" ? say.document : say.face;
  return {
    heading: say.heading,
    body: [
      ovalSketch(),
      paragraph(what),
      paragraph(say.law),
      row(
        primaryButton(say.agree, () => actions.consent(true)),
        button(say.disagree, () => actions.consent(false)),
      ),
    ],
  };
}

/** The button that takes consent back, in a row of its own. */
function takeBackRow({ texts, actions, canTakeBackConsent: offered }: ScreenContext): HTMLElement | undefined {
  return offered ? row(button(texts.consent.takeBack, actions.takeBackConsent, { class: "quiet" })) : undefined;
}

/** Says that no face is measured, where somebody has refused that. */
function refusedConsent({ session: { consent: asked }, texts }: ScreenContext): string | undefined {
  return asked.required && asked.given === false ? texts.consent.refused : undefined;
}

/** No method is left: consent was refused, or all attempts are used up. */
export function none(shown: ScreenContext): Screen {
  const { session, texts, actions } = shown;
  const { none: say } = texts;
  const declined = session.methods.some(({ state }) => state === "DECLINED");
  const after = declined ? primaryButton(texts.start.after, () => actions.consent(true)) : undefined;
  if (isLeftToApp(session)) {
    const told = interpolate(texts.start.inAppOnly, { business: businessName(session, texts) });
    const { name } = texts.methods.DEVICE_SIGNAL;
    return {
      heading: name,
      body: [paragraph(told), row(after, button(texts.cancel, actions.cancel)), takeBackRow(shown)],
    };
  }
  return {
    heading: say.heading,
    body: [
      paragraph(declined ? say.body : isIssuerSession(session) ? texts.issue.empty : say.empty),
      row(after, button(texts.cancel, actions.cancel)),
      takeBackRow(shown),
    ],
  };
}

/** The QR code for a phone, and how far the phone is. */
export function following({ session, texts, actions }: ScreenContext, link: string, copy: () => void): Screen {
  return handOffScreen(texts.phone, {
    link,
    progress: phoneProgress(session, texts),
    copy,
    back: actions.backToChoice,
  });
}

/** How far the other device is. */
export function phoneProgress({ status }: Session, { following: say }: Texts): string {
  return status === "IN_PROGRESS" || status === "PROCESSING" ? say.opened : say.waiting;
}

export function interrupted(texts: Texts, why: "network" | "serviceDown", resume: () => void): Screen {
  const { interrupted: say } = texts;
  return { heading: say[why], body: [paragraph(say[`${why}Body`]), row(primaryButton(texts.tryAgain, resume))] };
}

export function processing(shown: ScreenContext): Screen {
  const { session, texts, returnUrl: leaveTo, handedOff } = shown;
  const { processing: say, over } = texts;
  const body = interpolate(isIssuerSession(session) ? texts.issue.processing : say.body, {
    business: businessName(session, texts),
  });
  const leave = leaveTo && !handedOff ? row(exitLink(leaveTo, over.leave, shown.embedded)) : undefined;
  const leaving = leave && !shown.embedded ? make("p", { id: "leaving", class: "soft", hidden: true }) : undefined;
  const refused = refusedConsent(shown);
  return {
    heading: say.heading,
    body: [spinner(), refused ? paragraph(refused) : undefined, paragraph(body), leaving, leave, takeBackRow(shown)],
    spoken: refused ? `${refused} ${body}` : body,
  };
}

/** The check passed. `more` (the offers) stands before the way back. */
export function done(shown: ScreenContext, elsewhere: boolean, more: Child): Screen {
  const { session, texts } = shown;
  const { done: say } = texts;
  const body = interpolate(say.body, { business: businessName(session, texts) });
  return {
    heading: say.heading,
    body: [
      tickIcon(),
      elsewhere ? paragraph(say.elsewhere) : undefined,
      paragraph(body),
      more,
      ...exitElements(shown, say.leave),
    ],
    spoken: body,
  };
}

export function failed(shown: ScreenContext): Screen {
  const { session, texts, actions } = shown;
  const { failed: say } = texts;
  const error = session.status === "ERROR";
  const [told, leave] = isIssuerSession(session)
    ? [texts.issue.failedBody, texts.issue.back]
    : [say.FAILBody, texts.over.leave];
  const body = interpolate(error ? say.ERRORBody : told, { business: businessName(session, texts) });
  const reason = reasonOf(session, texts);
  const why = reason === undefined ? undefined : make("p", { class: "why" }, reason);
  const refused = shown.canGiveConsent ? refusedConsent(shown) : undefined;
  return {
    heading: error ? say.ERROR : say.FAIL,
    body: [
      why,
      paragraph(body),
      refused ? paragraph(refused) : undefined,
      refused ? row(button(texts.start.after, () => actions.consent(true))) : undefined,
      ...exitElements(shown, leave),
    ],
    spoken: [reason, body, refused].filter((said) => said !== undefined).join(" "),
  };
}

/** How the person leaves the page: a link, a return to the waiting tab, or a hint to close it. */
function exitElements(
  { handedOff, returnUrl: leaveTo, tabWaits: awaited, embedded, texts }: ScreenContext,
  words: string,
): Child[] {
  const { done: say } = texts;
  if (handedOff) {
    return [paragraph(say.handedOff)];
  }
  if (!leaveTo) {
    return awaited ? returnToTab(texts) : closeHint(say.close, embedded);
  }
  const told = embedded ? undefined : make("p", { id: "leaving", class: "soft", hidden: true });
  return [told, row(exitLink(leaveTo, words, embedded))];
}

/** Back to the waiting tab. The hint to close this one appears once the other has acknowledged the answer. */
function returnToTab({ issue }: Texts): Child[] {
  return [paragraph(issue.goBack), make("p", { id: "heard", hidden: true }, issue.close)];
}

/** A hint to close the page; left out in a frame, which the person cannot close. */
function closeHint(words: string, embedded: boolean): Child[] {
  return embedded ? [] : [paragraph(words)];
}

/** A link to the business. A frame may navigate the page around it only when the person clicks a link. */
function exitLink(href: string, words: string, embedded: boolean): HTMLElement {
  return make("a", { href, class: "press main", ...(embedded ? { target: "_top" } : {}) }, words);
}

/** How the person leaves a session that ended without a result: by a link, or to the waiting tab. */
interface OverOptions {
  href: string | undefined;
  tabWaits: boolean;
  /** Whether to use the issuer's texts. */
  issuing: boolean;
  embedded: boolean;
  /** The session, if the location is blocked: consent can still be taken back there. */
  blocked: ScreenContext | undefined;
}

/** The session ended without a result. */
export function over(
  texts: Texts,
  why: OverReason,
  { href, tabWaits: awaited, issuing, embedded, blocked }: OverOptions,
): Screen {
  const { over: say, issue } = texts;
  const refused = blocked && refusedConsent(blocked);
  const body = (issuing ? lookup(issue, `${why}Body`) : undefined) ?? say[`${why}Body`];
  const close = awaited ? returnToTab(texts) : closeHint(say.close, embedded);
  const leave = issuing ? issue.back : say.leave;
  return {
    heading: say[why],
    body: [
      refused ? paragraph(refused) : undefined,
      paragraph(body),
      ...(href ? [row(exitLink(href, leave, embedded))] : close),
      blocked && takeBackRow(blocked),
    ],
    spoken: refused ? `${refused} ${body}` : body,
  };
}

/** The page or the browser does not support the next step; `other` leads back to the choice of methods. */
export function unable({ unknown, otherWay }: Texts, other: (() => void) | undefined): Screen {
  return {
    heading: unknown.heading,
    body: [paragraph(unknown.body), other ? row(primaryButton(otherWay, other)) : undefined],
  };
}

/** Asks before the person is sent to a provider. */
export function departure({ redirect: say }: Texts, host: string, go: () => void): Screen {
  return {
    heading: say.heading,
    body: [paragraph(interpolate(say.check, { host })), row(primaryButton(interpolate(say.go, { host }), go))],
  };
}

// --- the tab of an issuer of blind tokens ---

/** Asks before the issuer's session begins. */
export function issue({ issue: say }: Texts, age: number, go: () => void): Screen {
  const body = [paragraph(interpolate(say.body, { age })), paragraph(say.check), row(primaryButton(say.go, go))];
  return { heading: interpolate(say.heading, { age }), body };
}

/** The age was proven; the token is being signed. */
export function signing(texts: Texts): Screen {
  return { ...loading(texts), heading: texts.issue.making };
}

export function issued(texts: Texts): Screen {
  const { done, goBack } = texts.issue;
  return { heading: done, body: [tickIcon(), ...returnToTab(texts)], spoken: goBack };
}

/** No token was issued; `back` is the address of another server's page that waits for one. */
export function notIssued(texts: Texts, stranger: boolean, back: string | undefined): Screen {
  const { issue: say } = texts;
  const why = stranger ? say.stranger : undefined;
  const link = back ? row(make("a", { href: back, class: "press main" }, say.back)) : undefined;
  return {
    heading: say.none,
    body: [why ? paragraph(why) : undefined, ...(link ? [link] : returnToTab(texts))],
    spoken: why ?? say.goBack,
  };
}

/** The session cannot be continued in this tab. */
export function lost({ redirect, issue }: Texts, what: LostReason): Screen {
  const [heading, body] = {
    way: [redirect.lost, redirect.lostBody] as const,
    order: [issue.lost, issue.lostBody] as const,
    turn: [issue.other, issue.otherBody] as const,
  }[what];
  return { heading, body: [paragraph(body)], spoken: body };
}

/** The page failed. Reloading continues the session; what was sent is not lost. */
export function broken({ broken: say }: Texts): Screen {
  return { heading: say.heading, body: [paragraph(say.body), row(primaryButton(say.reload, () => location.reload()))] };
}
