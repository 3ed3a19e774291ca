// The screens that belong to no method: heading, elements, and what can be pressed. They know nothing of the server.

import { button, type Child, make } from "../shared/dom";
import { followable } from "../shared/follow";
import { handOff } from "../shared/handoff";
import { busy, ovalSketch, paragraph, primary, row, tick } from "../shared/pieces";
import type { Screen } from "../shared/stage";
import { type Method, type MethodName, type Session, threshold } from "./session";
import { type Lost, type Over, offered } from "./state-machine/state";
import { fill, type Language, lookup, span, type Texts } from "./texts";

/** What a person can ask for. */
export interface Acts {
  choose(method: Method): void;
  consent(given: boolean): void;
  /** Goes back to the choice of methods. */
  other(): void;
  follow(): void;
  stop(): void;
}

/** Everything that is on show. */
export interface Shown {
  session: Session;
  texts: Texts;
  language: Language;
  acts: Acts;
  /** Whether another device waits for this one. */
  handedOff: boolean;
  /** Whether a phone could go on. */
  mayHandOff: boolean;
  /** Where the business wants people at the end, where this page may bring them there. */
  leaveTo: string | undefined;
  /** Whether another tab of this browser waits for this one. */
  awaited: boolean;
  /** Where kept results are forgotten. */
  keysAt: string | undefined;
  embedded: boolean;
}

/** The business's name, or what stands for it. */
export function named(session: Session, texts: Texts): string {
  return session.business || texts.aBusiness;
}

/** Whether a session is an issuer's: its words are others, because it knows of no business that is told anything. */
function ofIssuer({ issues }: Session): boolean {
  return issues !== undefined;
}

export function loading({ loading: { heading, body } }: Texts): Screen {
  return { heading, body: [busy(), paragraph(body)] };
}

/** Who asks and why, what is kept, and the ways; after a failure, what failed and what else there is. */
export function start(shown: Shown): Screen {
  const { session, texts, language, acts, mayHandOff } = shown;
  const { start: say } = texts;
  const { fresh, again } = offered(session, shown.handedOff);
  const failed = again.length > 0 || session.methods.some(({ state }) => state === "EXHAUSTED");
  const declined = session.methods.some(({ state }) => state === "DECLINED");
  const asked = { age: threshold(session) ?? "", business: named(session, texts) };
  const why = failed && session.tried ? whyFailed(session, session.tried, texts) : undefined;
  const kept =
    session.days && !ofIssuer(session) ? fill(say.kept, { time: span(session.days * 86_400, language) }) : say.keptNot;
  const { heading, told } = purpose(session, texts);
  const explained: Child[] = failed
    ? [why ? make("p", { class: "why" }, why) : undefined]
    : [
        paragraph(fill(ofIssuer(session) ? texts.issue.who : say.who, asked)),
        paragraph(fill(told, asked)),
        paragraph(kept, "soft"),
        links(shown),
        make("h2", { id: "ways" }, say.choose),
      ];
  return {
    heading: failed ? (fresh.length > 0 ? say.failedHeading : say.failedAgain) : fill(heading, asked),
    body: [
      ...explained,
      make("ul", { class: "ways" }, ...[...fresh, ...again].map((method) => way(method, shown))),
      declined ? paragraph(say.declined, "soft") : undefined,
      declined ? row(button(say.after, () => acts.consent(true), { class: "quiet" })) : undefined,
      mayHandOff ? row(button(texts.phone.offer, acts.follow, { class: "quiet" })) : undefined,
    ],
    ...(why ? { spoken: why } : {}),
  };
}

/** That a method did not succeed, and why, where that helps. */
function whyFailed(session: Session, tried: MethodName, texts: Texts): string {
  const failed = fill(texts.start.failed, { method: texts.methods[tried].name });
  const reason = reasonOf(session, texts);
  return reason === undefined ? failed : `${failed} ${reason}`;
}

/** Why the last attempt did not succeed, where a person can do something about it. */
function reasonOf({ tried, reason }: Session, { reasons }: Texts): string | undefined {
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

function way(method: Method, { session, texts, acts }: Shown): HTMLElement {
  const { start: say } = texts;
  const { name } = texts.methods[method.method];
  const hint = hintOf(method, texts);
  const strict = session.type === "AGE" || method.threshold === threshold(session) ? undefined : method.threshold;
  const failed = method.state === "FAILED";
  const lines = [
    hint,
    strict === undefined ? "" : fill(session.type === "UNDER" ? say.strict : say.stricter, { age: strict }),
    failed ? `${say.again}. ${fill(say.left, { count: method.remaining })}` : "",
  ].filter((line) => line !== "");
  const made = make(
    "button",
    { type: "button", class: "way" },
    make("strong", {}, name),
    ...lines.map((line) => make("span", {}, line)),
  );
  made.addEventListener("click", () => acts.choose(method));
  return make("li", {}, made);
}

/** Driving licences of so many countries are read. */
const LICENCE_COUNTRIES: readonly string[] = ["USA", "CAN"];
/** The regions of readers that are likely to have one. */
const LICENCE_REGIONS: readonly string[] = ["US", "CA"];

/** What a method asks for; driving licences are named to those who may have one that is taken. */
function hintOf({ method, country }: Method, texts: Texts): string {
  const { hint } = texts.methods[method];
  const region = navigator.languages.map((tag) => tag.split("-")[1]).find((part) => part?.length === 2) ?? "";
  const licence = country === undefined ? LICENCE_REGIONS.includes(region) : LICENCE_COUNTRIES.includes(country);
  return method === "DOC_SCAN" && licence ? texts.licenceHint : hint;
}

function links({ session, texts: { start: say, forget }, keysAt }: Shown): HTMLElement | undefined {
  const keeps = session.methods.some(({ method }) => method === "SVC_KEY");
  const all = [
    [session.privacyPolicy, say.privacy],
    [session.terms, say.terms],
    [keeps && keysAt ? new URL(keysAt, location.href).href : undefined, forget.link],
  ] as const;
  const made = all.flatMap(([address, words]) => {
    const href = followable(address)?.href;
    return href ? [make("a", { href, target: "_blank", rel: "noopener noreferrer" }, words)] : [];
  });
  return made.length > 0 ? make("p", { class: "links" }, ...made) : undefined;
}

/** Asks whether a face may be measured. Saying no leaves the other ways. */
export function consent({ texts: { consent: say }, acts }: Shown, method: Method): Screen {
  const what = method.method === "DOC_SCAN" ? say.document : say.face;
  return {
    heading: say.heading,
    body: [
      ovalSketch(),
      paragraph(what),
      paragraph(say.law),
      row(
        primary(say.agree, () => acts.consent(true)),
        button(say.disagree, () => acts.consent(false)),
      ),
    ],
  };
}

/** Nothing can be begun: because somebody declined, or because all is used up. */
export function none({ session, texts, acts }: Shown): Screen {
  const { none: say } = texts;
  const declined = session.methods.some(({ state }) => state === "DECLINED");
  const after = declined ? primary(texts.start.after, () => acts.consent(true)) : undefined;
  return {
    heading: say.heading,
    body: [
      paragraph(declined ? say.body : ofIssuer(session) ? texts.issue.empty : say.empty),
      row(after, button(texts.cancel, acts.stop)),
    ],
  };
}

/** The code for a phone, and what is known of it. */
export function following({ session, texts, acts }: Shown, link: string, copy: () => void): Screen {
  return handOff(texts.phone, { link, progress: followed(session, texts), copy, back: acts.other });
}

/** What is known of the other device. */
export function followed({ status }: Session, { following: say }: Texts): string {
  return status === "IN_PROGRESS" || status === "PROCESSING" ? say.opened : say.waiting;
}

export function interrupted(texts: Texts, why: "network" | "serviceDown", resume: () => void): Screen {
  const { interrupted: say } = texts;
  return { heading: say[why], body: [paragraph(say[`${why}Body`]), row(primary(texts.tryAgain, resume))] };
}

export function processing(shown: Shown): Screen {
  const { session, texts, leaveTo, handedOff } = shown;
  const { processing: say, over } = texts;
  const body = fill(ofIssuer(session) ? texts.issue.processing : say.body, { business: named(session, texts) });
  const leave = leaveTo && !handedOff ? row(back(leaveTo, over.leave, shown.embedded)) : undefined;
  return { heading: say.heading, body: [busy(), paragraph(body), leave], spoken: body };
}

/** The end, with what it offers: keeping the proof, and taking it along. `more` stands before the way back. */
export function done(shown: Shown, elsewhere: boolean, more: Child): Screen {
  const { session, texts } = shown;
  const { done: say } = texts;
  const body = fill(say.body, { business: named(session, texts) });
  return {
    heading: say.heading,
    body: [
      tick(),
      elsewhere ? paragraph(say.elsewhere) : undefined,
      paragraph(body),
      more,
      ...wayBack(shown, say.leave),
    ],
    spoken: body,
  };
}

export function failed(shown: Shown): Screen {
  const { session, texts } = shown;
  const { failed: say } = texts;
  const error = session.status === "ERROR";
  const [told, leave] = ofIssuer(session)
    ? [texts.issue.failedBody, texts.issue.back]
    : [say.FAILBody, texts.over.leave];
  const body = fill(error ? say.ERRORBody : told, { business: named(session, texts) });
  const reason = reasonOf(session, texts);
  const why = reason === undefined ? undefined : make("p", { class: "why" }, reason);
  return {
    heading: error ? say.ERROR : say.FAIL,
    body: [why, paragraph(body), ...wayBack(shown, leave)],
    spoken: reason === undefined ? body : `${reason} ${body}`,
  };
}

/** How somebody gets from here to where they came from. */
function wayBack({ handedOff, leaveTo, awaited, embedded, texts }: Shown, words: string): Child[] {
  const { done: say } = texts;
  if (handedOff) {
    return [paragraph(say.handedOff)];
  }
  if (!leaveTo) {
    return awaited ? toTheTab(texts) : closing(say.close, embedded);
  }
  const told = embedded ? undefined : make("p", { id: "leaving", class: "soft", hidden: true });
  return [told, row(back(leaveTo, words, embedded))];
}

/** Back to the tab that waits. That this one may be closed is said when the other has heard. */
function toTheTab({ issue }: Texts): Child[] {
  return [paragraph(issue.goBack), make("p", { id: "heard", hidden: true }, issue.close)];
}

/** That the page can be closed, which is none of somebody's who sees it in a frame of another. */
function closing(words: string, embedded: boolean): Child[] {
  return embedded ? [] : [paragraph(words)];
}

/** A link of the business's; a frame may bring the page around it elsewhere only where somebody presses one. */
function back(href: string, words: string, embedded: boolean): HTMLElement {
  return make("a", { href, class: "press main", ...(embedded ? { target: "_top" } : {}) }, words);
}

/** Where somebody goes from the end: by a link, or to the tab that waits. */
interface Ending {
  href: string | undefined;
  awaited: boolean;
  /** Whether it is an issuer's, which knows of no business. */
  issuing: boolean;
  embedded: boolean;
}

/** There is no session to go on with. */
export function over(texts: Texts, why: Over, { href, awaited, issuing, embedded }: Ending): Screen {
  const { over: say, issue } = texts;
  const body = (issuing ? lookup(issue, `${why}Body`) : undefined) ?? say[`${why}Body`];
  const close = awaited ? toTheTab(texts) : closing(say.close, embedded);
  const leave = issuing ? issue.back : say.leave;
  return {
    heading: say[why],
    body: [paragraph(body), ...(href ? [row(back(href, leave, embedded))] : close)],
    spoken: body,
  };
}

/** The page, or this browser, cannot do what comes next; `other` leads back to the choice. */
export function unable({ unknown, otherWay }: Texts, other: (() => void) | undefined): Screen {
  return {
    heading: unknown.heading,
    body: [paragraph(unknown.body), other ? row(primary(otherWay, other)) : undefined],
  };
}

/** Asks before a provider is gone to. */
export function departure({ redirect: say }: Texts, host: string, go: () => void): Screen {
  return {
    heading: say.heading,
    body: [paragraph(fill(say.check, { host })), row(primary(fill(say.go, { host }), go))],
  };
}

// --- the tab of an issuer of blind tokens ---

/** Asks before it begins. */
export function issue({ issue: say }: Texts, age: number, go: () => void): Screen {
  const body = [paragraph(fill(say.body, { age })), paragraph(say.check), row(primary(say.go, go))];
  return { heading: fill(say.heading, { age }), body };
}

/** The age was shown, and the proof is being made. */
export function signing(texts: Texts): Screen {
  return { ...loading(texts), heading: texts.issue.making };
}

export function issued(texts: Texts): Screen {
  const { done, goBack } = texts.issue;
  return { heading: done, body: [tick(), ...toTheTab(texts)], spoken: goBack };
}

/** No proof was made; `back` leads to another server's page that waits. */
export function notIssued(texts: Texts, stranger: boolean, back: string | undefined): Screen {
  const { issue: say } = texts;
  const why = stranger ? say.stranger : undefined;
  const link = back ? row(make("a", { href: back, class: "press main" }, say.back)) : undefined;
  return {
    heading: say.none,
    body: [why ? paragraph(why) : undefined, ...(link ? [link] : toTheTab(texts))],
    spoken: why ?? say.goBack,
  };
}

/** It does not go on here. */
export function lost({ redirect, issue }: Texts, what: Lost): Screen {
  const [heading, body] = {
    way: [redirect.lost, redirect.lostBody] as const,
    order: [issue.lost, issue.lostBody] as const,
    turn: [issue.other, issue.otherBody] as const,
  }[what];
  return { heading, body: [paragraph(body)], spoken: body };
}

/** Something broke: what was sent is not lost, and loading again goes on. */
export function broken({ broken: say }: Texts): Screen {
  return { heading: say.heading, body: [paragraph(say.body), row(primary(say.reload, () => location.reload()))] };
}
