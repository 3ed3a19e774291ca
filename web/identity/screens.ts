// The screens: for each step its heading, its elements, and what can be pressed. They know nothing of the server.

import type { CameraProblem } from "../shared/camera";
import { likelyCountry, sortedCountries } from "../shared/countries";
import { button, make, uniqueId } from "../shared/dom";
import {
  adviceList,
  documentSketch,
  labelledField,
  ovalSketch,
  paragraph,
  primaryButton,
  row,
  spinner,
  tickIcon,
} from "../shared/elements";
import { handOffScreen } from "../shared/handoff";
import type { Screen } from "../shared/page-layout";
import { linkUrl } from "../shared/safe-url";
import type { PhotoFault } from "./document-guidance";
import { EVENT_CODES } from "./event-codes";
import { hasChoice, type Requirement, type SessionConfig } from "./requirements";
import {
  canContinue,
  currentRequirement,
  currentSide,
  isFaceRequirement,
  type PageEvent,
  type State,
} from "./state-machine";
import { formatDuration, interpolate, type Language, lookup, type Texts } from "./texts";

/** What a person can ask for beside going on. */
export interface ScreenActions {
  dispatch(event: PageEvent): void;
  chooseFile(file: File): void;
  leave(): void;
  reload(): void;
  copyLink(): void;
  /** Asks for the mail with instructions. */
  sendInstructions(): void;
  /** Wants a mail at the end, or none. */
  setWantsMail(wanted: boolean): void;
}

/** Everything that is on show. */
export interface ScreenContext {
  state: State;
  texts: Texts;
  language: Language;
  actions: ScreenActions;
  /** Whether another device waits for this one. */
  handedOff: boolean;
  /** Whether this device has another that could go on: it is no phone. */
  canHandOff: boolean;
  /** The link for a phone. */
  link: string;
  /** What was taken, and what is wrong with it. */
  taken: CapturedPicture | undefined;
  /** Where the business wants people to go at the end. */
  returnUrl: string | undefined;
  /** Whether a mail is wanted at the end. */
  wantsMail: boolean;
  /** Whether another page embeds this one. */
  embedded: boolean;
}

export interface CapturedPicture {
  url: string;
  name: string;
  pdf: boolean;
  faults: PhotoFault[];
}

/** Files of at most this size, in megabytes. */
export const MAX_FILE_MB = 10;

export function renderScreen(shown: ScreenContext): Screen {
  const { state, texts } = shown;
  const { step } = state;
  switch (step.on) {
    case "loading":
    case "agreeing":
      return { heading: texts.loading.heading, body: [spinner(), paragraph(texts.loading.body)] };
    case "welcome":
      return welcome(shown);
    case "consent":
      return consent(shown);
    case "following":
      return following(shown);
    case "choose":
      return choose(shown);
    case "tips":
      return tips(shown);
    case "camera":
      return { heading: "", body: [] };
    case "file":
      return file(shown);
    case "trouble":
      return trouble(shown, step.trouble);
    case "review":
      return review(shown);
    case "sending":
      return sending(shown);
    case "reading":
      return {
        heading: texts.reading.heading,
        body: [spinner(), make("p", { id: "wait" }, texts.reading.body)],
        spoken: texts.reading.body,
      };
    case "retry":
      return retry(shown);
    case "interrupted":
      return {
        heading: texts.interrupted[step.why],
        body: [
          paragraph(texts.interrupted[`${step.why}Body`]),
          row(primaryButton(texts.tryAgain, () => shown.actions.dispatch({ is: "resumed" }))),
        ],
      };
    case "finishing":
      return { heading: texts.finishing.heading, body: [spinner(), paragraph(texts.finishing.body)] };
    case "done":
      return done(shown, step.elsewhere);
    case "over":
      return over(shown);
  }
}

/** Something broke: what was sent is not lost, and loading again goes on. */
export function brokenScreen(texts: Texts, reload: () => void): Screen {
  const { heading, body, reload: words } = texts.broken;
  return { heading, body: [paragraph(body), row(primaryButton(words, reload))] };
}

/** Ten minutes are still called ten when opening the link took a few seconds of them. */
const LINK_DELAY_S = 10;

function welcome({
  state,
  texts,
  language,
  actions,
  canHandOff: mayHandOff,
  wantsMail: thanks,
}: ScreenContext): Screen {
  const config = state.config as SessionConfig;
  const wanted = new Set(config.requirements.filter(({ done }) => !done).map(({ kind }) => REQUIREMENT_TEXTS[kind]));
  const privacy = linkUrl(config.privacyUrl)?.href;
  const { welcome: say } = texts;
  const asked = config.consent === "early";
  const answers = asked
    ? consentAnswers(texts, actions)
    : [primaryButton(say.start, () => actions.dispatch({ is: "agreed" }))];
  const others = [
    ...(mayHandOff ? [button(texts.phone.offer, () => actions.dispatch({ is: "handOffChosen" }))] : []),
    ...(config.mails.has("instructions") ? [button(say.mail, actions.sendInstructions)] : []),
  ];
  return {
    heading: say.heading,
    body: [
      paragraph(say.body),
      make("ul", { class: "needed" }, ...[...wanted].map((name) => make("li", {}, say[name]))),
      paragraph(interpolate(say.time, { time: formatDuration(config.secondsLeft + LINK_DELAY_S, language) }), "soft"),
      privacy
        ? make("p", {}, make("a", { href: privacy, target: "_blank", rel: "noopener noreferrer" }, say.privacy))
        : undefined,
      ...(asked ? [make("h2", {}, say.consentHeading), paragraph(say.consent)] : []),
      config.mails.has("thank-you") ? checkbox(say.thanks, thanks, actions.setWantsMail) : undefined,
      row(...answers),
      others.length > 0 ? row(...others) : undefined,
    ],
  };
}

/** Asks for consent where a face is about to be taken. */
function consent({ texts, actions }: ScreenContext): Screen {
  const { welcome: say } = texts;
  return {
    heading: say.consentHeading,
    body: [paragraph(say.consent), row(...consentAnswers(texts, actions))],
    spoken: say.consent,
  };
}

function consentAnswers({ welcome: say }: Texts, actions: ScreenActions): HTMLElement[] {
  return [
    primaryButton(say.agree, () => actions.dispatch({ is: "agreed" })),
    button(say.disagree, () => actions.dispatch({ is: "failed", failure: "cancelled" })),
  ];
}

function checkbox(words: string, checked: boolean, change: (checked: boolean) => void): HTMLElement {
  const input = make("input", { type: "checkbox", id: uniqueId("tick"), checked });
  input.addEventListener("change", () => change(input.checked));
  return make("label", { class: "pick", for: input.id }, input, words);
}

const REQUIREMENT_TEXTS = {
  ID_DOCUMENT: "idDocument",
  SUPPLEMENTARY_DOCUMENT: "supplementary",
  LIVENESS: "face",
  FACE_CAPTURE: "face",
} as const;

function following({ state, texts: { phone }, actions, link }: ScreenContext): Screen {
  const progress = interpolate(phone.progress, progressCounts(state));
  return handOffScreen(phone, {
    link,
    progress,
    copy: actions.copyLink,
    back: () => actions.dispatch({ is: "handOffCancelled" }),
  });
}

/** How many things of all are done. */
export function progressCounts(state: State): { at: number; of: number } {
  return { at: state.total - state.todo.length, of: state.total };
}

/** What may be chosen on the screen that asks for the document. */
interface Offer {
  countries: string[];
  /** The types of a country. */
  types(country: string): string[];
  word(type: string): string;
  choose(country: string, type: string): void;
}

function choose(shown: ScreenContext): Screen {
  const { state, texts, actions } = shown;
  const { choose: say } = texts;
  const { kind, countries, letters } = currentRequirement(state) as Requirement;
  if (kind === "SUPPLEMENTARY_DOCUMENT") {
    const word = (type: string) => lookup(texts.letters, type) ?? spelledOut(type);
    return chooseFrom(shown, say.letterHeading, {
      countries: letters.countries,
      types: () => letters.types,
      word,
      choose: (country, type) =>
        actions.dispatch({
          is: "letterChosen",
          choice: { country: country || undefined, type: type || undefined },
        }),
    });
  }
  const allowed = (country: string) => countries.find(({ code }) => code === country)?.types ?? [];
  return chooseFrom(shown, say.heading, {
    countries: countries.map(({ code }) => code),
    types: allowed,
    word: (type) => lookup(texts.types, type) ?? type,
    choose: (country, picked) => {
      const type = allowed(country).find((one) => one === picked);
      if (type) {
        actions.dispatch({ is: "documentChosen", choice: { country, type } });
      }
    },
  });
}

/** A word of the business's own, as people write: `PHONE_BILL` is "Phone bill". */
function spelledOut(word: string): string {
  const words = word.toLowerCase().replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function chooseFrom({ state, texts, language, actions }: ScreenContext, heading: string, offer: Offer): Screen {
  const { choose: say } = texts;
  const codes = offer.countries;
  const preset =
    codes.find((code) => code === state.config?.presetCountry) ?? likelyCountry(navigator.languages, codes);
  const country = make("select", { id: uniqueId("country"), required: true });
  const options = sortedCountries(codes, language).map(({ code, name }) => make("option", { value: code }, name));
  country.append(make("option", { value: "" }, say.pickCountry), ...options);
  const known = state.choice?.country ?? state.letter?.country;
  country.value = known ?? (codes.length === 1 ? codes[0] : preset) ?? "";

  const types = make("div", { class: "types" });
  const group = make("fieldset", {}, make("legend", {}, say.type), types);
  const error = make("p", { class: "error", id: uniqueId("error"), hidden: true });
  const allowed = () => (codes.length === 0 || country.value !== "" ? offer.types(country.value) : []);
  const list = () => {
    types.replaceChildren(...allowed().map((type, _, { length }) => radio(type, offer.word(type), length === 1)));
    group.hidden = allowed().length === 0;
  };
  country.addEventListener("change", list);
  list();

  const form = make(
    "form",
    { novalidate: true },
    // Where it does not matter which country issued it, nobody is asked.
    codes.length > 0 ? labelledField(say.country, country) : undefined,
    group,
    error,
    row(make("button", { type: "submit", class: "primary" }, texts.goOn)),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const picked = types.querySelector<HTMLInputElement>("input:checked");
    const first = types.querySelector<HTMLInputElement>("input");
    const needsCountry = codes.length > 0 && country.value === "";
    if (!needsCountry && (picked || allowed().length === 0)) {
      offer.choose(country.value, picked?.value ?? "");
      return;
    }
    const wrong = needsCountry ? country : first;
    error.textContent = needsCountry ? say.needCountry : say.needType;
    error.hidden = false;
    wrong?.setAttribute("aria-describedby", error.id);
    wrong?.focus();
  });
  return {
    heading,
    body: [
      form,
      row(button(say.none, () => actions.dispatch({ is: "failed", failure: "noDocuments" }), { class: "quiet" })),
    ],
  };
}

function radio(value: string, words: string, checked: boolean): HTMLElement {
  const input = make("input", { type: "radio", name: "type", value, id: uniqueId("type"), checked });
  return make("label", { class: "pick", for: input.id }, input, words);
}

function tips({ state, texts, actions }: ScreenContext): Screen {
  const { tips: say } = texts;
  const requirement = currentRequirement(state) as Requirement;
  const go = [
    primaryButton(texts.camera.open, () => actions.dispatch({ is: "ready" })),
    requirement.upload ? button(say.file, () => actions.dispatch({ is: "fileChosen" })) : undefined,
  ];
  if (isFaceRequirement(requirement)) {
    const { heading, light, free, alone } = texts.faceTips;
    const list = [light, free, alone, ...(requirement.zoom ? [say.zoom] : [])];
    return {
      heading: requirement.zoom ? say.zoomHeading : heading,
      body: [ovalSketch(), adviceList(list), row(...go)],
    };
  }
  const letter = requirement.kind === "SUPPLEMENTARY_DOCUMENT";
  const type = state.choice ? texts.types[state.choice.type] : texts.types.OTHER;
  const sides = currentSide(state).of > 1 ? [say.sides] : [];
  const list = letter ? [say.recent, say.light, say.whole] : [say.covered, say.flat, say.light, say.whole, ...sides];
  const other = button(say.other, () => actions.dispatch({ is: "otherDocument" }), { class: "quiet" });
  return {
    heading: letter ? say.letterHeading : interpolate(say.idHeading, { document: type }),
    body: [documentSketch(), adviceList(list), row(...go), hasChoice(requirement) ? row(other) : undefined],
  };
}

/** What the side in front of the camera is called. */
export function sideName({ state, texts }: Pick<ScreenContext, "state" | "texts">): string {
  const { side, of } = currentSide(state);
  const kind = currentRequirement(state)?.kind;
  if (kind === "SUPPLEMENTARY_DOCUMENT") {
    return texts.sides.letter;
  }
  return of > 1 || side !== "page" ? texts.sides[side] : texts.sides.page;
}

function file(shown: ScreenContext): Screen {
  const { state, texts, actions } = shown;
  const { file: say } = texts;
  const pdf = currentRequirement(state)?.kind === "SUPPLEMENTARY_DOCUMENT";
  const accept = ["image/jpeg", "image/png", "image/heic", "image/webp", ...(pdf ? ["application/pdf"] : [])].join(",");
  const input = make("input", { type: "file", id: uniqueId("file"), accept });
  const error = make("p", { class: "error", id: "file-error", hidden: true });
  const form = make(
    "form",
    { novalidate: true },
    labelledField(interpolate(say.label, { side: sideName(shown) }), input),
    paragraph(interpolate(pdf ? say.bodyPdf : say.body, { size: MAX_FILE_MB }), "soft"),
    error,
    row(
      make("button", { type: "submit", class: "primary" }, texts.goOn),
      button(say.camera, () => actions.dispatch({ is: "cameraChosen" })),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [chosen] = input.files ?? [];
    if (!chosen) {
      showFileError(say.none);
    } else {
      actions.chooseFile(chosen);
    }
  });
  return { heading: say.heading, body: [form] };
}

/** Says what is wrong with the chosen file, where it was chosen. */
export function showFileError(words: string): void {
  const error = document.getElementById("file-error");
  const input = document.querySelector<HTMLInputElement>("input[type=file]");
  if (error && input) {
    error.textContent = words;
    error.hidden = false;
    input.setAttribute("aria-describedby", error.id);
    input.focus();
  }
}

function trouble({ state, texts, actions, canHandOff: mayHandOff }: ScreenContext, what: CameraProblem): Screen {
  const { trouble: say } = texts;
  const again =
    what === "insecure" ? undefined : primaryButton(texts.tryAgain, () => actions.dispatch({ is: "cameraChosen" }));
  const failure =
    ({ denied: "cameraDenied", absent: "noCamera" } as const)[what as "denied" | "absent"] ?? "cameraFailed";
  return {
    heading: say[what],
    body: [
      paragraph(say[`${what}Body`]),
      row(
        again,
        currentRequirement(state)?.upload
          ? button(texts.tips.file, () => actions.dispatch({ is: "fileChosen" }))
          : undefined,
        mayHandOff ? button(texts.phone.offer, () => actions.dispatch({ is: "handOffChosen" })) : undefined,
      ),
      row(button(say.giveUp, () => actions.dispatch({ is: "failed", failure }), { class: "quiet" })),
    ],
  };
}

function review(shown: ScreenContext): Screen {
  const { state, texts, actions, taken } = shown;
  const { review: say } = texts;
  const byFile = state.by === "file";
  const faults = (taken?.faults ?? []).map((fault) => say[fault]);
  const picture = taken && !taken.pdf ? make("img", { src: taken.url, alt: say.picture, class: "taken" }) : undefined;
  const words = taken?.pdf ? interpolate(say.pdf, { name: taken.name }) : say.good;
  return {
    heading: say.heading,
    body: [
      picture,
      faults.length > 0
        ? make("ul", { class: "faults" }, ...faults.map((fault) => make("li", {}, fault)))
        : paragraph(words),
      row(
        button(byFile ? say.useFile : say.use, () => actions.dispatch({ is: "accepted" }), {
          class: faults.length > 0 ? "" : "primary",
        }),
        button(byFile ? say.rechoose : say.retake, () => actions.dispatch({ is: "retake" }), {
          class: faults.length > 0 ? "primary" : "",
        }),
      ),
    ],
    spoken: faults.length > 0 ? faults.join(" ") : words,
  };
}

function sending({ texts: { sending: say } }: ScreenContext): Screen {
  const bar = make("progress", { id: "sent", max: "1", value: "0", "aria-label": say.progress });
  return { heading: say.heading, body: [bar, paragraph(say.body)], spoken: say.body };
}

function retry({ state, texts, actions }: ScreenContext): Screen {
  const { retry: say } = texts;
  if (state.step.on !== "retry") {
    throw new Error("there is nothing to try again");
  }
  const { reason } = state.step;
  const requirement = currentRequirement(state) as Requirement;
  const why = lookup(say, reason.detail) ?? lookup(say, reason.kind) ?? say.QUALITY;
  const other = button(say.other, () => actions.dispatch({ is: "otherDocument" }));
  return {
    heading: reason.value === "SHOULD_TRY_AGAIN" ? say.should : say.heading,
    body: [
      make("p", { class: "why" }, why),
      paragraph(interpolate(say.left, { count: state.attempts }), "soft"),
      row(
        primaryButton(say.again, () => actions.dispatch({ is: "retryChosen" })),
        canContinue(state) ? button(say.goOn, () => actions.dispatch({ is: "continueAnyway" })) : undefined,
        hasChoice(requirement) ? other : undefined,
      ),
    ],
    spoken: why,
  };
}

function done(
  { texts: { done: say }, returnUrl: leaveTo, handedOff, actions, embedded }: ScreenContext,
  elsewhere: boolean,
): Screen {
  const end = handedOff
    ? [paragraph(say.handedOff)]
    : leaveTo
      ? [make("p", { id: "leaving" }, say.leaving), row(primaryButton(say.leave, actions.leave))]
      : [embedded ? undefined : paragraph(say.close)];
  return {
    heading: say.heading,
    body: [tickIcon(), elsewhere ? paragraph(say.elsewhere) : undefined, paragraph(say.body), ...end],
    spoken: say.body,
  };
}

function over({ state, texts: { over: say }, returnUrl: leaveTo, actions, embedded }: ScreenContext): Screen {
  if (state.step.on !== "over") {
    throw new Error("it is not over");
  }
  const { failure } = state.step;
  return {
    heading: say[failure],
    body: [
      paragraph(say[`${failure}Body`]),
      leaveTo
        ? row(primaryButton(say.leave, actions.leave))
        : paragraph(embedded ? say.help : `${say.close} ${say.help}`),
      paragraph(interpolate(say.code, { code: EVENT_CODES[failure] }), "soft"),
    ],
    spoken: say[`${failure}Body`],
  };
}
