// Every word that the console says, in each language.

import type { Language } from "../shared/language";
import type { AgeGroup, Reason, Scope } from "./api";

export interface Texts {
  skip: string;
  loading: string;
  signIn: string;
  signInIntro: string;
  email: string;
  sendLink: string;
  linkSent: string;
  linkSentBody: string;
  accept: { heading: string; body: string; act: string };
  link: { heading: string; body: string; act: string };
  signOut: string;
  navigation: string;
  inbox: string;
  forYou: string;
  notification: string;
  notFound: string;
  otherAccount: string;
  members: string;
  nothing: string;
  notAllowed: string;
  page(page: number, pages: number): string;
  newer: string;
  older: string;
  reasons: Record<Reason, string>;
  found(reasons: string): string;
  failedBecause: string;
  happenedAt: string;
  seenAt: string;
  inVideoAt(seconds: string): string;
  ageGroup: string;
  ageGroups: Record<AgeGroup, string>;
  content: string;
  title: string;
  comment: string;
  left(used: number): string;
  acceptNotification: string;
  dismiss: string;
  accepted: string;
  dismissed: string;
  /** How many of those who said something accept it. */
  decided(accepting: number, of: number): string;
  reviews: string;
  noReviews: string;
  you: string;
  people: string;
  person: string;
  noPerson: string;
  nobody: string;
  nameless: string;
  deleted: string;
  whoIsIt: string;
  reference: string;
  referenceIs: string;
  bannedOnly: string;
  find: string;
  known: string;
  faces: string;
  groups: string;
  banned: string;
  bannedSince: string;
  bannedUntil: string;
  bannedBecause: string;
  banThem: string;
  banReason: string;
  banLength: string;
  /** For so many days, or until somebody lifts the ban. */
  banFor(days: number | undefined): string;
  ban: string;
  isBanned: string;
  liftBan: string;
  liftQuestion(name: string): string;
  liftMeans: string;
  banLifted: string;
  dismissals: string;
  dismissalsMean: string;
  noDismissals: string;
  inThatContentOnly: string;
  undo: string;
  dismissalUndone: string;
  invite: string;
  sendInvitation: string;
  invited(email: string): string;
  administrator: string;
  may: string;
  everything: string;
  allowed: string;
  save: string;
  saved: string;
  makeAdministrator: string;
  takeAdministrator: string;
  remove: string;
  removeQuestion(name: string): string;
  removeMeans: string;
  removed: string;
  cancel: string;
  pending: string;
  until(moment: string): string;
  revoke: string;
  revoked: string;
  retry: string;
  unreachable: string;
  over: string;
  refused(words: string): string;
  scopes: Record<Scope, string>;
}

const en: Texts = {
  skip: "Skip to content",
  loading: "One moment",
  signIn: "Sign in",
  signInIntro: "You get a mail with a link. There are no passwords.",
  email: "E-mail address",
  sendLink: "Send me a link",
  linkSent: "Look into your mail",
  linkSentBody: "If the address is a member’s, a link is on its way. It works once, for 15 minutes.",
  accept: {
    heading: "You are invited",
    body: "Accepting makes you a member and signs you in on this device.",
    act: "Accept the invitation",
  },
  link: { heading: "Welcome back", body: "Your link signs you in on this device, once.", act: "Sign in" },
  signOut: "Sign out",
  navigation: "Console",
  inbox: "Inbox",
  forYou: "For you",
  notification: "Notification",
  notFound: "This notification is not there, or not in this account.",
  otherAccount: "This belongs to another account. Sign out, and sign in with the address that is a member there.",
  members: "Members",
  nothing: "Nothing was found so far.",
  notAllowed: "You may not see notifications in this account. An administrator can allow it.",
  page: (page, pages) => `Page ${page} of ${pages}`,
  newer: "Newer",
  older: "Older",
  reasons: {
    BANNED_PROFILE: "banned person",
    AGE_ESTIMATION: "looks younger than is allowed here",
    UNKNOWN_FACE: "unknown face",
    WAITING: "Live video waits for a place",
    STARTED: "Moderation started",
    STOPPED: "Moderation stopped",
    DONE: "Moderation done",
    FAILED: "Moderation failed",
  },
  found: (reasons) => `Found: ${reasons}`,
  failedBecause: "Why",
  happenedAt: "At",
  seenAt: "Found at",
  inVideoAt: (seconds) => `${seconds} s into the video`,
  ageGroup: "Age group",
  ageGroups: {
    threshold_met: "old enough",
    not_required: "known adult",
    unknown: "unknown",
    child: "under 13",
    teenager_young: "13 to 15",
    teenager_old: "16 to 17",
    adult_young: "18 to 24",
    adult: "25 and older",
  },
  content: "Content",
  title: "Title",
  comment: "Comment",
  left: (used) => `${used} of 500 characters`,
  acceptNotification: "Accept",
  dismiss: "Dismiss",
  accepted: "Accepted: it is right.",
  dismissed: "Dismissed: it is wrong.",
  decided: (accepting, of) => {
    const one = accepting > 0 ? "Accepted: it is right." : "Dismissed: it is wrong.";
    return of === 1 ? one : `${accepting} of ${of} members accepted it.`;
  },
  reviews: "Reviews",
  noReviews: "Nobody has said anything yet.",
  you: "you",
  people: "People",
  person: "Person",
  noPerson: "This person is not there, or not in this account.",
  nobody: "Nobody is here.",
  nameless: "Without a name",
  deleted: "Deleted",
  whoIsIt: "See who that is",
  reference: "Reference",
  referenceIs: "Reference, exactly",
  bannedOnly: "banned people only",
  find: "Find",
  known: "Known since",
  faces: "Faces",
  groups: "Groups",
  banned: "Banned",
  bannedSince: "Banned since",
  bannedUntil: "Banned until",
  bannedBecause: "Why",
  banThem: "Ban this person",
  banReason: "Why?",
  banLength: "For how long?",
  banFor: (days) => (days === undefined ? "until it is lifted" : days === 1 ? "1 day" : `${days} days`),
  ban: "Ban",
  isBanned: "Banned. Every moderation looks for this person from now on.",
  liftBan: "Lift the ban",
  liftQuestion: (name) => `Lift the ban of ${name}?`,
  liftMeans: "Nobody is told of this person as banned any more.",
  banLifted: "The ban is lifted.",
  dismissals: "Dismissed faces",
  dismissalsMean: "Faces that somebody said are not this person. Faces like them are not taken for this person.",
  noDismissals: "No face was dismissed.",
  inThatContentOnly: "in that content only",
  undo: "Undo",
  dismissalUndone: "Undone. The face counts as this person again.",
  invite: "Invite somebody",
  sendInvitation: "Send the invitation",
  invited: (email) => `The invitation to ${email} is on its way.`,
  administrator: "Administrator",
  may: "May do",
  everything: "everything",
  allowed: "What may be done",
  save: "Save",
  saved: "Saved. It counts from the next click on.",
  makeAdministrator: "Make administrator",
  takeAdministrator: "Make ordinary member",
  remove: "Remove",
  removeQuestion: (name) => `Remove ${name}?`,
  removeMeans: "The member is signed out everywhere, at once. Reviews stay.",
  removed: "Removed.",
  cancel: "Cancel",
  pending: "Open invitations",
  until: (moment) => `until ${moment}`,
  revoke: "Take back",
  revoked: "The invitation’s link works no more.",
  retry: "Try again",
  unreachable: "The server cannot be reached.",
  over: "Your session is over. Sign in again.",
  refused: (words) => `The server refused: ${words}`,
  scopes: {
    "contents:list": "list contents",
    "contents:manage": "manage contents",
    "contents:moderate": "archive and restore contents",
    "contents:view": "see contents",
    "contents:reports:list": "list reports on contents",
    "contents:reports:moderate": "decide about reports",
    "flags:manage": "ban people and lift bans",
    "members:manage": "manage members",
    "moderations:manage": "start and stop moderations",
    "moderations:view": "see moderations",
    "notifications:manage": "accept and dismiss notifications",
    "notifications:view": "see notifications",
    "profiles:list": "list profiles",
    "profiles:manage": "manage profiles",
    "profiles:view": "see profiles",
    "reports:view": "see moderation reports",
    "reports:manage": "manage reports",
  },
};

const de: Texts = {
  skip: "Zum Inhalt",
  loading: "Einen Moment",
  signIn: "Anmelden",
  signInIntro: "Du bekommst eine E-Mail mit einem Link. Passwörter gibt es nicht.",
  email: "E-Mail-Adresse",
  sendLink: "Link schicken",
  linkSent: "Schau in deine E-Mails",
  linkSentBody: "Wenn die Adresse einem Mitglied gehört, ist ein Link unterwegs. Er gilt einmal, 15 Minuten lang.",
  accept: {
    heading: "Du bist eingeladen",
    body: "Wenn du annimmst, wirst du Mitglied und auf diesem Gerät angemeldet.",
    act: "Einladung annehmen",
  },
  link: { heading: "Willkommen zurück", body: "Dein Link meldet dich einmal auf diesem Gerät an.", act: "Anmelden" },
  signOut: "Abmelden",
  navigation: "Konsole",
  inbox: "Eingang",
  forYou: "Für dich",
  notification: "Meldung",
  notFound: "Diese Meldung gibt es nicht, oder nicht in diesem Konto.",
  otherAccount:
    "Das gehört zu einem anderen Konto. Melde dich ab, und melde dich mit der Adresse an, die dort Mitglied ist.",
  members: "Mitglieder",
  nothing: "Bisher wurde nichts gefunden.",
  notAllowed: "Du darfst die Meldungen dieses Kontos nicht sehen. Wer es verwaltet, kann das ändern.",
  page: (page, pages) => `Seite ${page} von ${pages}`,
  newer: "Neuere",
  older: "Ältere",
  reasons: {
    BANNED_PROFILE: "gesperrte Person",
    AGE_ESTIMATION: "sieht jünger aus als hier erlaubt",
    UNKNOWN_FACE: "unbekanntes Gesicht",
    WAITING: "Live-Video wartet auf einen Platz",
    STARTED: "Prüfung begonnen",
    STOPPED: "Prüfung gestoppt",
    DONE: "Prüfung fertig",
    FAILED: "Prüfung fehlgeschlagen",
  },
  found: (reasons) => `Gefunden: ${reasons}`,
  failedBecause: "Warum",
  happenedAt: "Am",
  seenAt: "Gefunden am",
  inVideoAt: (seconds) => `${seconds} s nach Beginn des Videos`,
  ageGroup: "Altersgruppe",
  ageGroups: {
    threshold_met: "alt genug",
    not_required: "bekannt und erwachsen",
    unknown: "unbekannt",
    child: "unter 13",
    teenager_young: "13 bis 15",
    teenager_old: "16 bis 17",
    adult_young: "18 bis 24",
    adult: "25 und älter",
  },
  content: "Inhalt",
  title: "Titel",
  comment: "Kommentar",
  left: (used) => `${used} von 500 Zeichen`,
  acceptNotification: "Bestätigen",
  dismiss: "Verwerfen",
  accepted: "Bestätigt: Es stimmt.",
  dismissed: "Verworfen: Es stimmt nicht.",
  decided: (accepting, of) => {
    const one = accepting > 0 ? "Bestätigt: Es stimmt." : "Verworfen: Es stimmt nicht.";
    return of === 1 ? one : `${accepting} von ${of} Mitgliedern haben es bestätigt.`;
  },
  reviews: "Bewertungen",
  noReviews: "Noch hat niemand etwas gesagt.",
  you: "du",
  people: "Personen",
  person: "Person",
  noPerson: "Diese Person gibt es nicht, oder nicht in diesem Konto.",
  nobody: "Hier ist niemand.",
  nameless: "Ohne Namen",
  deleted: "Gelöscht",
  whoIsIt: "Ansehen, wer das ist",
  reference: "Kennzeichen",
  referenceIs: "Kennzeichen, genau so",
  bannedOnly: "nur gesperrte Personen",
  find: "Suchen",
  known: "Bekannt seit",
  faces: "Gesichter",
  groups: "Gruppen",
  banned: "Gesperrt",
  bannedSince: "Gesperrt seit",
  bannedUntil: "Gesperrt bis",
  bannedBecause: "Warum",
  banThem: "Diese Person sperren",
  banReason: "Warum?",
  banLength: "Wie lange?",
  banFor: (days) => (days === undefined ? "bis die Sperre aufgehoben wird" : days === 1 ? "1 Tag" : `${days} Tage`),
  ban: "Sperren",
  isBanned: "Gesperrt. Jede Prüfung sucht ab jetzt nach dieser Person.",
  liftBan: "Sperre aufheben",
  liftQuestion: (name) => `Sperre von ${name} aufheben?`,
  liftMeans: "Diese Person wird nicht mehr als gesperrt gemeldet.",
  banLifted: "Die Sperre ist aufgehoben.",
  dismissals: "Verworfene Gesichter",
  dismissalsMean:
    "Gesichter, von denen jemand gesagt hat, dass sie nicht diese Person sind. Ähnliche werden nicht für sie gehalten.",
  noDismissals: "Kein Gesicht wurde verworfen.",
  inThatContentOnly: "nur in diesem Inhalt",
  undo: "Rückgängig machen",
  dismissalUndone: "Rückgängig gemacht. Das Gesicht gilt wieder als diese Person.",
  invite: "Jemanden einladen",
  sendInvitation: "Einladung schicken",
  invited: (email) => `Die Einladung an ${email} ist unterwegs.`,
  administrator: "Verwaltet das Konto",
  may: "Darf",
  everything: "alles",
  allowed: "Was erlaubt ist",
  save: "Speichern",
  saved: "Gespeichert. Es gilt ab dem nächsten Klick.",
  makeAdministrator: "Verwalten lassen",
  takeAdministrator: "Nicht mehr verwalten lassen",
  remove: "Entfernen",
  removeQuestion: (name) => `${name} entfernen?`,
  removeMeans: "Das Mitglied wird sofort überall abgemeldet. Bewertungen bleiben.",
  removed: "Entfernt.",
  cancel: "Abbrechen",
  pending: "Offene Einladungen",
  until: (moment) => `bis ${moment}`,
  revoke: "Zurücknehmen",
  revoked: "Der Link der Einladung gilt nicht mehr.",
  retry: "Noch einmal",
  unreachable: "Der Server ist nicht erreichbar.",
  over: "Deine Sitzung ist vorbei. Melde dich neu an.",
  refused: (words) => `Der Server lehnt ab: ${words}`,
  scopes: {
    "contents:list": "Inhalte auflisten",
    "contents:manage": "Inhalte verwalten",
    "contents:moderate": "Inhalte archivieren und wiederherstellen",
    "contents:view": "Inhalte ansehen",
    "contents:reports:list": "Berichte zu Inhalten auflisten",
    "contents:reports:moderate": "über Berichte entscheiden",
    "flags:manage": "Personen sperren und Sperren aufheben",
    "members:manage": "Mitglieder verwalten",
    "moderations:manage": "Prüfungen starten und beenden",
    "moderations:view": "Prüfungen ansehen",
    "notifications:manage": "Meldungen bestätigen und verwerfen",
    "notifications:view": "Meldungen ansehen",
    "profiles:list": "Profile auflisten",
    "profiles:manage": "Profile verwalten",
    "profiles:view": "Profile ansehen",
    "reports:view": "Prüfberichte ansehen",
    "reports:manage": "Berichte verwalten",
  },
};

export const TEXTS: Record<Language, Texts> = { en, de };
