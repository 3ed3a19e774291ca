// The screens: for each step its heading, its elements, and what can be pressed. They know nothing of the server.

import type { Trouble } from "../shared/camera";
import { likely, sorted } from "../shared/countries";
import { button, fresh, make } from "../shared/dom";
import { followable } from "../shared/follow";
import { handOff } from "../shared/handoff";
import { advice, busy, documentSketch, labelled, ovalSketch, paragraph, primary, row, tick } from "../shared/pieces";
import type { Screen } from "../shared/stage";
import { CODES } from "./codes";
import type { Fault } from "./guide";
import { current, type Event, isFace, mayGoOn, type State, sideOf } from "./journey";
import type { Need, Plan } from "./plan";
import { fill, type Language, lookup, span, type Texts } from "./texts";

/** What a person can ask for beside going on. */
export interface Acts {
  happen(event: Event): void;
  choose(file: File): void;
  leave(): void;
  reload(): void;
  copyLink(): void;
  /** Asks for the mail with instructions. */
  mail(): void;
  /** Wants a mail at the end, or none. */
  thank(wanted: boolean): void;
}

/** Everything that is on show. */
export interface Shown {
  state: State;
  texts: Texts;
  language: Language;
  acts: Acts;
  /** Whether another device waits for this one. */
  handedOff: boolean;
  /** Whether this device has another that could go on: it is no phone. */
  mayHandOff: boolean;
  /** The link for a phone. */
  link: string;
  /** What was taken, and what is wrong with it. */
  taken: Taken | undefined;
  /** Where the business wants people to go at the end. */
  leaveTo: string | undefined;
  /** Whether a mail is wanted at the end. */
  thanks: boolean;
  /** Whether another page embeds this one. */
  embedded: boolean;
}

export interface Taken {
  url: string;
  name: string;
  pdf: boolean;
  faults: Fault[];
}

/** Files of at most this size, in megabytes. */
export const MOST_MB = 10;

export function screen(shown: Shown): Screen {
  const { state, texts } = shown;
  const { step } = state;
  switch (step.on) {
    case "loading":
    case "agreeing":
      return { heading: texts.loading.heading, body: [busy(), paragraph(texts.loading.body)] };
    case "welcome":
      return welcome(shown);
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
        body: [busy(), paragraph(texts.reading.body)],
        spoken: texts.reading.body,
      };
    case "retry":
      return retry(shown);
    case "interrupted":
      return {
        heading: texts.interrupted[step.why],
        body: [
          paragraph(texts.interrupted[`${step.why}Body`]),
          row(primary(texts.tryAgain, () => shown.acts.happen({ is: "resumed" }))),
        ],
      };
    case "finishing":
      return { heading: texts.finishing.heading, body: [busy(), paragraph(texts.finishing.body)] };
    case "done":
      return done(shown, step.elsewhere);
    case "over":
      return over(shown);
  }
}

/** Something broke: what was sent is not lost, and loading again goes on. */
export function broken(texts: Texts, reload: () => void): Screen {
  const { heading, body, reload: words } = texts.broken;
  return { heading, body: [paragraph(body), row(primary(words, reload))] };
}

/** Ten minutes are still called ten when opening the link took a few seconds of them. */
const ON_THE_WAY_S = 10;

function welcome({ state, texts, language, acts, mayHandOff, thanks }: Shown): Screen {
  const plan = state.plan as Plan;
  const wanted = new Set(plan.needs.filter(({ done }) => !done).map(({ kind }) => NEEDED[kind]));
  const privacy = followable(plan.privacyUrl)?.href;
  const { welcome: say } = texts;
  const consent = [make("h2", {}, say.consentHeading), paragraph(say.consent)];
  const agree = () => acts.happen({ is: "agreed" });
  const answers = plan.consent
    ? [primary(say.agree, agree), button(say.disagree, () => acts.happen({ is: "failed", failure: "cancelled" }))]
    : [primary(say.start, agree)];
  const others = [
    ...(mayHandOff ? [button(texts.phone.offer, () => acts.happen({ is: "handedOff" }))] : []),
    ...(plan.mails.has("instructions") ? [button(say.mail, acts.mail)] : []),
  ];
  return {
    heading: say.heading,
    body: [
      paragraph(say.body),
      make("ul", { class: "needed" }, ...[...wanted].map((name) => make("li", {}, say[name]))),
      paragraph(fill(say.time, { time: span(plan.secondsLeft + ON_THE_WAY_S, language) }), "soft"),
      privacy
        ? make("p", {}, make("a", { href: privacy, target: "_blank", rel: "noopener noreferrer" }, say.privacy))
        : undefined,
      ...(plan.consent ? consent : []),
      plan.mails.has("thank-you") ? ticked(say.thanks, thanks, acts.thank) : undefined,
      row(...answers),
      others.length > 0 ? row(...others) : undefined,
    ],
  };
}

function ticked(words: string, checked: boolean, change: (checked: boolean) => void): HTMLElement {
  const input = make("input", { type: "checkbox", id: fresh("tick"), checked });
  input.addEventListener("change", () => change(input.checked));
  return make("label", { class: "pick", for: input.id }, input, words);
}

const NEEDED = {
  ID_DOCUMENT: "idDocument",
  SUPPLEMENTARY_DOCUMENT: "supplementary",
  LIVENESS: "face",
  FACE_CAPTURE: "face",
} as const;

function following({ state, texts: { phone }, acts, link }: Shown): Screen {
  const progress = fill(phone.progress, counted(state));
  return handOff(phone, { link, progress, copy: acts.copyLink, back: () => acts.happen({ is: "tookBack" }) });
}

/** How many things of all are done. */
export function counted(state: State): { at: number; of: number } {
  return { at: state.total - state.todo.length, of: state.total };
}

function choose({ state, texts, language, acts }: Shown): Screen {
  const { choose: say } = texts;
  const need = current(state) as Need;
  const codes = need.countries.map(({ code }) => code);
  const preset = codes.find((code) => code === state.plan?.presetCountry) ?? likely(navigator.languages, codes);
  const country = make("select", { id: fresh("country"), required: true });
  const options = sorted(codes, language).map(({ code, name }) => make("option", { value: code }, name));
  country.append(make("option", { value: "" }, say.pickCountry), ...options);
  country.value = state.choice?.country ?? (codes.length === 1 ? codes[0] : preset) ?? "";

  const types = make("div", { class: "types" });
  const group = make("fieldset", {}, make("legend", {}, say.type), types);
  const error = make("p", { class: "error", id: fresh("error"), hidden: true });
  const allowed = () => need.countries.find(({ code }) => code === country.value)?.types ?? [];
  const offer = () => {
    types.replaceChildren(...allowed().map((type, _, { length }) => radio(type, texts.types[type], length === 1)));
    group.hidden = allowed().length === 0;
  };
  country.addEventListener("change", offer);
  offer();

  const form = make(
    "form",
    { novalidate: true },
    labelled(say.country, country),
    group,
    error,
    row(make("button", { type: "submit", class: "primary" }, texts.goOn)),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const picked = types.querySelector<HTMLInputElement>("input:checked");
    const first = types.querySelector<HTMLInputElement>("input");
    const type = allowed().find((one) => one === picked?.value);
    if (type) {
      acts.happen({ is: "chose", choice: { country: country.value, type } });
      return;
    }
    const wrong = country.value === "" ? country : first;
    error.textContent = country.value === "" ? say.needCountry : say.needType;
    error.hidden = false;
    wrong?.setAttribute("aria-describedby", error.id);
    wrong?.focus();
  });
  return {
    heading: say.heading,
    body: [
      form,
      row(button(say.none, () => acts.happen({ is: "failed", failure: "noDocuments" }), { class: "quiet" })),
    ],
  };
}

function radio(value: string, words: string, checked: boolean): HTMLElement {
  const input = make("input", { type: "radio", name: "type", value, id: fresh("type"), checked });
  return make("label", { class: "pick", for: input.id }, input, words);
}

function tips({ state, texts, acts }: Shown): Screen {
  const { tips: say } = texts;
  const need = current(state) as Need;
  const go = [
    primary(texts.camera.open, () => acts.happen({ is: "ready" })),
    need.upload ? button(say.file, () => acts.happen({ is: "byFile" })) : undefined,
  ];
  if (isFace(need)) {
    const { heading, light, free, alone } = texts.faceTips;
    const list = [light, free, alone, ...(need.zoom ? [say.zoom] : [])];
    return { heading: need.zoom ? say.zoomHeading : heading, body: [ovalSketch(), advice(list), row(...go)] };
  }
  const letter = need.kind === "SUPPLEMENTARY_DOCUMENT";
  const type = state.choice ? texts.types[state.choice.type] : texts.types.OTHER;
  const sides = sideOf(state).of > 1 ? [say.sides] : [];
  const list = letter ? [say.recent, say.light, say.whole] : [say.covered, say.flat, say.light, say.whole, ...sides];
  const other = button(say.other, () => acts.happen({ is: "otherDocument" }), { class: "quiet" });
  return {
    heading: letter ? say.letterHeading : fill(say.idHeading, { document: type }),
    body: [documentSketch(), advice(list), row(...go), selectable(need) ? row(other) : undefined],
  };
}

/** Whether there is more than one document to choose from. */
function selectable({ countries }: Need): boolean {
  return countries.length > 1 || (countries[0]?.types.length ?? 0) > 1;
}

/** What the side in front of the camera is called. */
export function sideName({ state, texts }: Pick<Shown, "state" | "texts">): string {
  const { side, of } = sideOf(state);
  const kind = current(state)?.kind;
  if (kind === "SUPPLEMENTARY_DOCUMENT") {
    return texts.sides.letter;
  }
  return of > 1 || side !== "page" ? texts.sides[side] : texts.sides.page;
}

function file(shown: Shown): Screen {
  const { state, texts, acts } = shown;
  const { file: say } = texts;
  const pdf = current(state)?.kind === "SUPPLEMENTARY_DOCUMENT";
  const accept = ["image/jpeg", "image/png", "image/heic", "image/webp", ...(pdf ? ["application/pdf"] : [])].join(",");
  const input = make("input", { type: "file", id: fresh("file"), accept });
  const error = make("p", { class: "error", id: "file-error", hidden: true });
  const form = make(
    "form",
    { novalidate: true },
    labelled(fill(say.label, { side: sideName(shown) }), input),
    paragraph(fill(pdf ? say.bodyPdf : say.body, { size: MOST_MB }), "soft"),
    error,
    row(
      make("button", { type: "submit", class: "primary" }, texts.goOn),
      button(say.camera, () => acts.happen({ is: "byCamera" })),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [chosen] = input.files ?? [];
    if (!chosen) {
      complain(say.none);
    } else {
      acts.choose(chosen);
    }
  });
  return { heading: say.heading, body: [form] };
}

/** Says what is wrong with the chosen file, where it was chosen. */
export function complain(words: string): void {
  const error = document.getElementById("file-error");
  const input = document.querySelector<HTMLInputElement>("input[type=file]");
  if (error && input) {
    error.textContent = words;
    error.hidden = false;
    input.setAttribute("aria-describedby", error.id);
    input.focus();
  }
}

function trouble({ state, texts, acts, mayHandOff }: Shown, what: Trouble): Screen {
  const { trouble: say } = texts;
  const again = what === "insecure" ? undefined : primary(texts.tryAgain, () => acts.happen({ is: "byCamera" }));
  const failure =
    ({ denied: "cameraDenied", absent: "noCamera" } as const)[what as "denied" | "absent"] ?? "cameraFailed";
  return {
    heading: say[what],
    body: [
      paragraph(say[`${what}Body`]),
      row(
        again,
        current(state)?.upload ? button(texts.tips.file, () => acts.happen({ is: "byFile" })) : undefined,
        mayHandOff ? button(texts.phone.offer, () => acts.happen({ is: "handedOff" })) : undefined,
      ),
      row(button(say.giveUp, () => acts.happen({ is: "failed", failure }), { class: "quiet" })),
    ],
  };
}

function review(shown: Shown): Screen {
  const { state, texts, acts, taken } = shown;
  const { review: say } = texts;
  const byFile = state.by === "file";
  const faults = (taken?.faults ?? []).map((fault) => say[fault]);
  const picture = taken && !taken.pdf ? make("img", { src: taken.url, alt: say.picture, class: "taken" }) : undefined;
  const words = taken?.pdf ? fill(say.pdf, { name: taken.name }) : say.good;
  return {
    heading: say.heading,
    body: [
      picture,
      faults.length > 0
        ? make("ul", { class: "faults" }, ...faults.map((fault) => make("li", {}, fault)))
        : paragraph(words),
      row(
        button(byFile ? say.useFile : say.use, () => acts.happen({ is: "accepted" }), {
          class: faults.length > 0 ? "" : "primary",
        }),
        button(byFile ? say.rechoose : say.retake, () => acts.happen({ is: "retake" }), {
          class: faults.length > 0 ? "primary" : "",
        }),
      ),
    ],
    spoken: faults.length > 0 ? faults.join(" ") : words,
  };
}

function sending({ texts: { sending: say } }: Shown): Screen {
  const bar = make("progress", { id: "sent", max: "1", value: "0", "aria-label": say.progress });
  return { heading: say.heading, body: [bar, paragraph(say.body)], spoken: say.body };
}

function retry({ state, texts, acts }: Shown): Screen {
  const { retry: say } = texts;
  if (state.step.on !== "retry") {
    throw new Error("there is nothing to try again");
  }
  const { reason } = state.step;
  const need = current(state) as Need;
  const why = lookup(say, reason.detail) ?? lookup(say, reason.kind) ?? say.QUALITY;
  const other = button(say.other, () => acts.happen({ is: "otherDocument" }));
  return {
    heading: reason.value === "SHOULD_TRY_AGAIN" ? say.should : say.heading,
    body: [
      make("p", { class: "why" }, why),
      paragraph(fill(say.left, { count: state.attempts }), "soft"),
      row(
        primary(say.again, () => acts.happen({ is: "again" })),
        mayGoOn(state) ? button(say.goOn, () => acts.happen({ is: "goOn" })) : undefined,
        selectable(need) ? other : undefined,
      ),
    ],
    spoken: why,
  };
}

function done({ texts: { done: say }, leaveTo, handedOff, acts, embedded }: Shown, elsewhere: boolean): Screen {
  const end = handedOff
    ? [paragraph(say.handedOff)]
    : leaveTo
      ? [paragraph(say.leaving), row(primary(say.leave, acts.leave))]
      : [embedded ? undefined : paragraph(say.close)];
  return {
    heading: say.heading,
    body: [tick(), elsewhere ? paragraph(say.elsewhere) : undefined, paragraph(say.body), ...end],
    spoken: say.body,
  };
}

function over({ state, texts: { over: say }, leaveTo, acts, embedded }: Shown): Screen {
  if (state.step.on !== "over") {
    throw new Error("it is not over");
  }
  const { failure } = state.step;
  return {
    heading: say[failure],
    body: [
      paragraph(say[`${failure}Body`]),
      leaveTo ? row(primary(say.leave, acts.leave)) : paragraph(embedded ? say.help : `${say.close} ${say.help}`),
      paragraph(fill(say.code, { code: CODES[failure] }), "soft"),
    ],
    spoken: say[`${failure}Body`],
  };
}
