// Every word that the page says, in each language.

import type { Language } from "../shared/language";
import type { MessageKind, Remark } from "./screen-selection";

export interface Texts {
  title: string;
  over(age: number): string;
  instruction: string;
  codeLabel(age: number): string;
  until(time: string): string;
  codesLeft(count: number): string;
  lastCode: string;
  nextIn(seconds: number): string;
  renew: string;
  renewed: string;
  online: string;
  offline: string;
  wentOffline: string;
  retry: string;
  remove: string;
  removeQuestion: string;
  removeMeans: string;
  removeConfirm: string;
  removeCancel: string;
  notOnPaper: string;
  remarks: Record<Remark, string>;
  troubles: Record<MessageKind, { heading: string; body: string }>;
}

const en: Texts = {
  title: "Proof of age",
  over: (age) => `Over\u00a0${age}`,
  instruction: "Show this code to be scanned",
  codeLabel: (age) => `QR code that proves an age over ${age}. Hold the screen in front of the scanner.`,
  until: (time) => `Works offline until ${time}`,
  codesLeft: (count) => (count === 1 ? "1 more code" : `${count} more codes`),
  lastCode: "This is the last code on this device",
  nextIn: (seconds) => (seconds === 1 ? "Next in 1\u00a0second" : `Next in ${seconds}\u00a0seconds`),
  renew: "New code",
  renewed: "A new code is on the screen.",
  online: "Online",
  offline: "Offline",
  wentOffline: "No connection. Your codes work without one.",
  retry: "Try again",
  remove: "Remove from this device",
  removeQuestion: "Remove your proof of age?",
  removeMeans: "The invitation and all codes are deleted from this browser. To come back, you need your link again.",
  removeConfirm: "Remove",
  removeCancel: "Keep",
  notOnPaper: "Codes change every 30 seconds and are not printed. Show them on the screen.",
  remarks: {
    "refused-another": "The link you just opened is used up, expired or wrong. Your earlier codes still work.",
    last: "These are the last codes of your invitation. Ask for a new link in time.",
    "server-busy": "The server is busy; more codes are fetched later.",
    "server-broken": "More codes could not be fetched. Tell whoever sent you the link.",
    "clock-corrected": "Your device’s clock is wrong. Codes use the right time.",
  },
  troubles: {
    loading: { heading: "One moment", body: "Your codes are being prepared." },
    unfit: {
      heading: "This browser can’t be used",
      body: "It cannot keep secret keys. Open your link in a current browser, and not in a private window.",
    },
    removed: { heading: "Removed", body: "Nothing of your proof of age is left in this browser." },
    clock: {
      heading: "Check the time",
      body: "This device’s clock seems to have gone back, so codes would be refused. Set it right, or connect to the internet.",
    },
    uninvited: {
      heading: "Open your link",
      body: "This page shows your proof of age once you have opened the link you were given, in this browser.",
    },
    spent: {
      heading: "No codes left",
      body: "Your invitation is used up or has expired, or the link is incomplete. Ask whoever sent it for a new one.",
    },
    stranded: {
      heading: "Connect to the internet",
      body: "No codes are left on this device. With a connection, new ones are fetched in a second.",
    },
    busy: { heading: "Busy just now", body: "The server asks for a little patience. The page tries again by itself." },
    broken: {
      heading: "That did not work",
      body: "Codes could not be fetched or kept. Reload the page; if that does not help, tell whoever sent you the link.",
    },
  },
};

const de: Texts = {
  title: "Altersnachweis",
  over: (age) => `Über\u00a0${age}`,
  instruction: "Diesen Code scannen lassen",
  codeLabel: (age) => `QR-Code, der ein Alter über ${age} nachweist. Den Bildschirm vor den Scanner halten.`,
  until: (time) => `Ohne Netz gültig bis ${time}`,
  codesLeft: (count) => (count === 1 ? "noch 1 Code" : `noch ${count} Codes`),
  lastCode: "Das ist der letzte Code auf diesem Gerät",
  nextIn: (seconds) => (seconds === 1 ? "Noch 1\u00a0Sekunde" : `Noch ${seconds}\u00a0Sekunden`),
  renew: "Neuer Code",
  renewed: "Ein neuer Code ist zu sehen.",
  online: "Online",
  offline: "Offline",
  wentOffline: "Keine Verbindung. Ihre Codes gelten auch ohne.",
  retry: "Noch einmal versuchen",
  remove: "Von diesem Gerät entfernen",
  removeQuestion: "Altersnachweis entfernen?",
  removeMeans:
    "Die Einladung und alle Codes werden aus diesem Browser gelöscht. Danach brauchen Sie Ihren Link noch einmal.",
  removeConfirm: "Entfernen",
  removeCancel: "Behalten",
  notOnPaper: "Codes wechseln alle 30 Sekunden und werden nicht gedruckt. Zeigen Sie sie auf dem Bildschirm.",
  remarks: {
    "refused-another":
      "Der eben geöffnete Link ist aufgebraucht, abgelaufen oder falsch. Ihre bisherigen Codes gelten weiter.",
    last: "Das sind die letzten Codes Ihrer Einladung. Bitten Sie rechtzeitig um einen neuen Link.",
    "server-busy": "Der Server ist ausgelastet; weitere Codes werden später geholt.",
    "server-broken": "Weitere Codes konnten nicht geholt werden. Sagen Sie es der Stelle, die Ihnen den Link gab.",
    "clock-corrected": "Die Uhr dieses Geräts geht falsch. Die Codes tragen die richtige Zeit.",
  },
  troubles: {
    loading: { heading: "Einen Moment", body: "Ihre Codes werden vorbereitet." },
    unfit: {
      heading: "Dieser Browser eignet sich nicht",
      body: "Er kann keine geheimen Schlüssel aufbewahren. Öffnen Sie Ihren Link in einem aktuellen Browser und nicht in einem privaten Fenster.",
    },
    removed: { heading: "Entfernt", body: "Von Ihrem Altersnachweis ist in diesem Browser nichts mehr übrig." },
    clock: {
      heading: "Bitte die Uhr prüfen",
      body: "Die Uhr dieses Geräts ist anscheinend zurückgesprungen; Codes würden abgelehnt. Stellen Sie sie richtig oder gehen Sie ins Internet.",
    },
    uninvited: {
      heading: "Öffnen Sie Ihren Link",
      body: "Diese Seite zeigt Ihren Altersnachweis, sobald Sie den Link, den Sie bekommen haben, in diesem Browser geöffnet haben.",
    },
    spent: {
      heading: "Keine Codes mehr",
      body: "Ihre Einladung ist aufgebraucht oder abgelaufen, oder der Link ist unvollständig. Bitten Sie die Stelle, die ihn gab, um einen neuen.",
    },
    stranded: {
      heading: "Bitte mit dem Internet verbinden",
      body: "Auf diesem Gerät sind keine Codes mehr. Mit einer Verbindung kommen in einer Sekunde neue.",
    },
    busy: {
      heading: "Gerade ausgelastet",
      body: "Der Server bittet um etwas Geduld. Die Seite versucht es von selbst wieder.",
    },
    broken: {
      heading: "Das hat nicht geklappt",
      body: "Codes ließen sich nicht holen oder aufbewahren. Laden Sie die Seite neu; hilft das nicht, sagen Sie es der Stelle, die Ihnen den Link gab.",
    },
  },
};

export const TEXTS: Record<Language, Texts> = { en, de };
