// The page of age sessions: leads through the choice of a method and its steps, and follows the session wherever it goes on.

import { answered, button, find, make } from "../shared/dom";
import { followable } from "../shared/follow";
import { embedded } from "../shared/frame";
import { copied, isPhone, showCode } from "../shared/handoff";
import { choose } from "../shared/language";
import { Interrupted, type Progress, Refused } from "../shared/network";
import { paragraph, primary, row } from "../shared/pieces";
import { watch } from "../shared/report";
import { type Screen, Stage } from "../shared/stage";
import {
  addressOf,
  awaitNoReturn,
  awaitReturn,
  type Errand,
  errandAddress,
  errandOf,
  KEYS,
  type Key,
  keep,
  keyOf,
  keysAddress,
  type Leave,
  linkOf,
  localeOf,
  placeOf,
  taken,
} from "./address";
import { Api } from "./api";
import { Issuing } from "./issuing";
import { chosen, direct, type Over, stoppable, type Where, whereFrom } from "./journey";
import { answerOf, type Kept, NOTHING, type Order, orderOf } from "./order";
import * as screens from "./screens";
import { type Method, open, type Session, type Turn, usable } from "./session";
import type { Doing, Render, Rendered } from "./steps/step";
import { fill, LANGUAGES, type Language, type Texts, textsIn } from "./texts";

/** How often the session is looked after while another device or a provider is at it, in milliseconds. */
const FOLLOW_MS = 2500;
/** How long the end is on the screen before it goes back to the business, where it offers nothing and where it does. */
const [THANKS_S, OFFER_S] = [5, 30];
/** From when on the time that is left is shown, and when it is told. */
const WARNING_S = 60;
const TOLD_S: readonly number[] = [60, 20];

/** What shows each kind of step; none of it is fetched before it is needed. */
const STEPS: Record<string, () => Promise<{ render: Render }>> = {
  camera: () => import("./steps/face"),
  frames: () => import("./steps/face"),
  form: () => import("./steps/form"),
  code: () => import("./steps/code"),
  choose: () => import("./steps/choose"),
  redirect: () => import("./steps/redirect"),
  document: () => import("./steps/document"),
  wallet: () => import("./steps/wallet"),
  passkey: () => import("./steps/passkey"),
  token: () => import("./steps/token"),
  wait: () => import("./steps/wait"),
};

class Page {
  readonly #stage: Stage;
  #texts: Texts;
  #language: Language;
  #where: Where = { on: "loading" };
  #key: Key | undefined;
  #api: Api | undefined;
  #session: Session | undefined;
  /** The method that is being done, its last turn, and what shows it. */
  #method: Method | undefined;
  #turn: Turn | undefined;
  #rendered: Rendered | undefined;
  /** A turn that asks for a face, which nobody has agreed to yet. */
  #unagreed: Turn | undefined;
  /** Changes whenever the person goes on: what belongs to an earlier screen counts no more. */
  #screen = 0;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #leavings: (() => void)[] = [];
  #clock: ReturnType<typeof setInterval> | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  /** How many seconds were left when it was last looked at: each warning is told once. */
  #left = Number.POSITIVE_INFINITY;
  /** What the page around this one was told last. */
  #told: string | undefined;
  /** Whether the session went on elsewhere while this page watched. */
  #followed = false;
  /** Whether the server is asked where the session stands, after it refused something. */
  #recovering = false;
  /** Whether a step that others do is being asked after. */
  #asking = false;
  #asker: ReturnType<typeof setTimeout> | undefined;
  #broken = false;
  /** Whether somebody came back here from a provider or a wallet. */
  #cameBack = false;
  /** What an issuer's tab has beside its session. */
  readonly #issuing: Issuing;

  constructor(stage: Stage, texts: Texts, language: Language) {
    this.#stage = stage;
    this.#texts = texts;
    this.#language = language;
    this.#issuing = new Issuing(texts, { show: (screen) => this.#show(screen), say: (words) => stage.say(words) });
  }

  start(): void {
    watch(
      () => (this.#where.on === "step" ? (this.#turn?.step?.kind ?? "step") : this.#where.on),
      (fault) => this.#api?.report(fault),
      () => this.#breakDown(),
    );
    find("stop").addEventListener("click", () => void this.#stop());
    window.addEventListener("online", () => this.#where.on === "interrupted" && this.#where.resume());
    this.#go({ on: "loading" });
  }

  over(why: Over): void {
    this.#go({ on: "over", why });
  }

  /** Opens a session; a method's path leads straight to it. */
  open(key: Key, path: string | undefined): void {
    this.#use(key);
    this.#work(
      (api) => api.session(),
      (session) => {
        const method = direct(session, path);
        this.#take(session);
        if (method && this.#where.on === "start") {
          this.#go(chosen(session, method));
        }
      },
    );
  }

  /** Goes on with an attempt after a provider sent its person back. */
  comeBack(leave: Leave, returned: Record<string, string>): void {
    this.#use(leave);
    this.#cameBack = true;
    const { attempt, continuation } = leave;
    this.#work(
      (api) => api.answer(attempt, { continuation, returned }),
      // A wallet may open a tab of its own to come back, where an issuer's order is not known.
      (turn) => (this.#strays(turn.session) ? this.#take(turn.session) : this.#turned(turn)),
    );
  }

  /** In the tab that a page in a frame opened: asks before it goes anywhere, because anybody can make such an address. */
  runErrand(errand: Errand): void {
    const url = followable(errand.url);
    if (!url) {
      this.over("incomplete");
      return;
    }
    const { redirect: say } = this.#texts;
    const host = { host: url.host };
    const { url: _, ...rest } = errand;
    const leave = { ...rest, handedOff: true };
    this.#go({ on: "errand" });
    this.#use(leave);
    const depart = (session: Session) => {
      // No frame opens a tab for an issuer's session: it is somebody else's, who wants another to show an age.
      if (session.issues === undefined) {
        this.#depart(leave, url.href);
      } else {
        this.#take(session);
      }
    };
    const go = primary(fill(say.go, host), () => this.#work((api) => api.session(), depart));
    this.#show({ heading: say.heading, body: [paragraph(fill(say.check, host)), row(go)] });
  }

  lost(): void {
    this.#go({ on: "lost", what: "way" });
  }

  /** Forgets what is kept under a passkey. */
  forget(base: string): void {
    this.#go({ on: "keys" });
    const show = (screen: Screen) => this.#show(screen);
    this.#show(screens.loading(this.#texts));
    import("./forgetting").then(
      ({ begin }) => begin({ base, texts: this.#texts, show, say: (words) => this.#stage.say(words) }),
      () => this.#interrupt("network", () => location.reload()),
    );
  }

  /** In a tab of the issuer of blind tokens: asks before it begins, because anybody can make such an address. */
  issue(base: string, order: Order): void {
    const { issue: say } = this.#texts;
    this.#go({ on: "errand" });
    const go = primary(say.go, () => this.#issueFor(base, order));
    const age = { age: order.threshold };
    const body = [paragraph(fill(say.body, age)), paragraph(say.check), row(go)];
    this.#show({ heading: fill(say.heading, age), body });
  }

  #issueFor(base: string, order: Order): void {
    this.#go({ on: "loading" });
    const screen = this.#screen;
    const here = (act: () => void) => this.#screen === screen && act();
    this.#issuing.begin(base, order).then(
      (begun) =>
        here(() => {
          if (begun) {
            const { id, sdkId } = begun;
            const key = { base, id, sdkId, locale: undefined, handedOff: false };
            history.replaceState(null, "", addressOf(key));
            this.open(key, undefined);
          }
        }),
      (error: unknown) =>
        here(() =>
          error instanceof Refused ? this.#issuing.refuse(order) : this.#fail(error, () => this.#issueFor(base, order)),
        ),
    );
  }

  /** In the tab that an issuer sent back: hands the answer to the tab that waits for it. */
  handBack({ channel, response }: { channel: string; response: string }): void {
    this.#go({ on: "errand" });
    this.#issuing.handOver(channel, response);
  }

  /** What this tab has been asked for, where it is an issuer's. A phone that took over has no part in it. */
  #order(): Kept | undefined {
    return this.#key && !this.#key.handedOff ? this.#issuing.order(this.#key.id) : undefined;
  }

  /** Whether this is an issuer's tab, as far as it knows. */
  #issues(): boolean {
    return (
      this.#session?.issues !== undefined ||
      this.#order() !== undefined ||
      placeOf(location.pathname).method === "issue"
    );
  }

  /** Whether a session is an issuer's that goes on, and this tab has no order for it: another tab began it, or somebody
   * who has sent a stranger here. */
  #strays(session: Session): boolean {
    const { on } = whereFrom(session);
    return session.issues !== undefined && !this.#order() && (this.#cameBack || (on !== "failed" && on !== "over"));
  }

  #giveUp(): void {
    const order = this.#order();
    if (order) {
      this.#issuing.giveUp(order);
    }
  }

  /** The age was shown to the issuer: has the order signed, and hands the answer on. */
  #sign(order: Kept): void {
    this.#screen += 1;
    this.#show({ ...screens.loading(this.#texts), heading: this.#texts.issue.making });
    // What is refused now would be refused for ever.
    const refused = (error: unknown) => (error instanceof Refused ? NOTHING : Promise.reject(error));
    this.#work(
      (api) => api.token(order).catch(refused),
      (response) => this.#issuing.handOn(order, response),
    );
  }

  #use(key: Key): void {
    this.#key = key;
    const brand = document.querySelector<HTMLMetaElement>("meta[name=brand]")?.content || "Svc";
    this.#api = new Api(key, brand);
  }

  // --- what is asked of the server ---

  /** Does something; what comes of it counts only while nobody has gone on. What a network broke off is done again. */
  #work<T>(act: (api: Api) => Promise<T>, then: (result: T) => void): void {
    const [api, screen] = [this.#api, this.#screen];
    if (!api) {
      return;
    }
    act(api).then(
      (result) => this.#screen === screen && then(result),
      (error: unknown) => this.#screen === screen && this.#fail(error, () => this.#work(act, then)),
    );
  }

  #fail(error: unknown, again: () => void): void {
    if (error instanceof Refused) {
      this.#refused(error);
    } else if (error instanceof Interrupted) {
      const before = this.#where;
      this.#interrupt(error.why, () => {
        // What was on the screen stays as it was, with what was typed, until there is an answer.
        this.#screen += 1;
        this.#where = before;
        this.#show(screens.loading(this.#texts));
        again();
      });
    } else {
      // Not the network and not the server: it is heard of where all mistakes are.
      throw error;
    }
  }

  #interrupt(why: "network" | "serviceDown", resume: () => void): void {
    this.#go({ on: "interrupted", why, resume }, false);
  }

  #refused({ status, code }: Refused): void {
    if (code === "SESSION_EXPIRED" || status === 410) {
      this.over("expired");
    } else if (code === "LOCATION_BLOCKED") {
      this.over("blocked");
    } else if (status === 404 || status === 401) {
      this.over("notFound");
    } else if (!this.#recovering) {
      // It went on elsewhere, or an answer was lost: the session says where it stands.
      this.#recovering = true;
      this.#go({ on: "loading" });
      this.#work(
        (api) => api.session(),
        (session) => {
          this.#recovering = false;
          this.#take(session);
          if (this.#where.on === "start") {
            this.#stage.note(this.#texts.problems.TRY_AGAIN);
          }
        },
      );
    } else {
      this.#interrupt("serviceDown", () => location.reload());
    }
  }

  /** Takes in what the server says of the session, and goes where it leads. */
  #take(session: Session): void {
    this.#know(session);
    this.#method = undefined;
    this.#turn = undefined;
    if (this.#strays(session)) {
      const ended = this.#cameBack || session.status === "COMPLETE";
      this.#go({ on: "lost", what: ended ? "turn" : "order" });
    } else {
      this.#go(whereFrom(session));
    }
  }

  /** Takes in what the server says, and stays. */
  #know(session: Session): void {
    this.#session = session;
    this.#watchTime(session);
    this.#tell(session);
  }

  #watchTime(session: Session): void {
    clearInterval(this.#clock);
    const ends = open(session) || session.status === "PROCESSING";
    this.#deadline = ends ? performance.now() + session.secondsLeft * 1000 : Number.POSITIVE_INFINITY;
    const time = find("time");
    time.hidden = true;
    if (!ends) {
      return;
    }
    const tick = () => {
      const left = Math.ceil((this.#deadline - performance.now()) / 1000);
      if (left <= 0) {
        clearInterval(this.#clock);
        this.over("expired");
        return;
      }
      if (left <= WARNING_S) {
        time.hidden = false;
        time.textContent = fill(this.#texts.time, { time: clockOf(left) });
        const due = TOLD_S.find((moment) => left <= moment && this.#left > moment);
        if (due !== undefined) {
          this.#stage.say(left > 45 ? this.#texts.minuteLeft : fill(this.#texts.time, { time: clockOf(left) }));
        }
      }
      this.#left = left;
    };
    this.#clock = setInterval(tick, 1000);
    if (session.secondsLeft > 0) {
      tick();
    }
  }

  /** Tells the page around this one of each change; nobody else is told anything. */
  #tell({ id, status, targetOrigin, tried }: Session): void {
    const origin = originOf(targetOrigin);
    if (!embedded() || !origin || this.#told === status) {
      return;
    }
    this.#told = status;
    const method = status === "IN_PROGRESS" ? (this.#method?.method ?? tried) : tried;
    window.parent.postMessage({ type: "age-session", sessionId: id, status, ...(method ? { method } : {}) }, origin);
  }

  // --- where somebody is ---

  /** Shows where somebody is now, and begins what belongs to it. `leave` is false where the step before stays as it was. */
  #go(where: Where, leave = true): void {
    if (this.#broken) {
      return;
    }
    this.#screen += 1;
    for (const timer of this.#timers.splice(0)) {
      clearTimeout(timer);
    }
    if (leave) {
      this.#rendered = undefined;
      for (const act of this.#leavings.splice(0)) {
        act();
      }
    }
    this.#where = where;
    find("stop").hidden = !stoppable(where);
    if (["over", "done", "failed", "lost"].includes(where.on)) {
      clearInterval(this.#clock);
      find("time").hidden = true;
    }
    this.#enter(where);
  }

  #enter(where: Where): void {
    switch (where.on) {
      case "interrupted":
        this.#show(screens.interrupted(this.#texts, where.why, where.resume));
        return;
      case "over":
        this.#end(where.why);
        return;
      case "lost":
        this.#show(screens.lost(this.#texts, where.what));
        return;
      case "loading":
      case "begin":
        this.#show(screens.loading(this.#texts));
        break;
      default:
        break;
    }
    if (where.on === "begin") {
      this.#begin(where.method);
    } else if (this.#session) {
      this.#enterSession(where, this.#session);
    }
  }

  #enterSession(where: Where, session: Session): void {
    const shown = this.#shown(session);
    switch (where.on) {
      case "start":
        this.#show(screens.start(shown));
        break;
      case "none":
        this.#show(screens.none(shown));
        break;
      case "consent":
        this.#show(screens.consent(shown, where.method));
        break;
      case "following":
        this.#showCode(shown);
        this.#follow();
        break;
      case "processing":
        this.#show(screens.processing(shown));
        this.#follow();
        break;
      case "done":
        void this.#finish(shown);
        break;
      case "failed":
        this.#giveUp();
        this.#show(screens.failed(this.#shown(session)));
        this.#return(session, THANKS_S);
        break;
      default:
        break;
    }
  }

  #show(screen: Screen): void {
    this.#stage.show(screen, this.#texts, this.#where.on);
  }

  // --- methods ---

  #choose(method: Method): void {
    if (this.#session) {
      this.#go(chosen(this.#session, method));
    }
  }

  #consent(given: boolean): void {
    const method = this.#where.on === "consent" ? this.#where.method : undefined;
    const turn = given ? this.#unagreed : undefined;
    this.#unagreed = undefined;
    this.#go({ on: "loading" });
    this.#work(
      (api) => api.consent(given),
      (session) => {
        if (turn) {
          this.#turned({ ...turn, session });
          return;
        }
        const still = given ? usable(session).find((one) => one.method === method?.method) : undefined;
        this.#take(session);
        if (still && open(session)) {
          this.#go({ on: "begin", method: still });
        }
      },
    );
  }

  #begin(method: Method): void {
    this.#method = method;
    this.#work(
      (api) => api.begin(method.method, this.#language, this.#order()?.key),
      (turn) => this.#turned(turn),
    );
  }

  /** What comes of a turn: its step, or the end of the attempt. */
  #turned(turn: Turn): void {
    const { session, step } = turn;
    const before = this.#turn?.step;
    this.#know(session);
    if (!step || !turn.attempt) {
      this.#take(session);
      return;
    }
    this.#turn = turn;
    // Where a wallet has nothing to say, a face may be asked for.
    const method = this.#method ?? session.methods.find((one) => one.method === "DIGITAL_ID");
    const { required, given } = session.consent;
    if (["camera", "frames"].includes(step.kind) && required && given !== true && method) {
      this.#unagreed = turn;
      this.#go({ on: "consent", method });
      return;
    }
    const { again } = this.#rendered ?? {};
    if (again && before?.kind === step.kind && this.#method) {
      this.#go({ on: "step" }, false);
      again(step, turn.problem);
      return;
    }
    const load = STEPS[step.kind];
    if (!load) {
      this.#go({ on: "step" });
      this.#unable();
      return;
    }
    this.#work(
      () => load().catch(() => Promise.reject(new Interrupted("network"))),
      ({ render }) => {
        this.#go({ on: "step" });
        this.#rendered = render(this.#doing(session), step, turn.problem);
      },
    );
  }

  /** What a step may ask for, while it is the one on the screen. */
  #doing(session: Session): Doing {
    let here = true;
    this.#leavings.push(() => {
      here = false;
    });
    const key = this.#key as Key;
    const method = this.#method?.method ?? "";
    const leave = (): Leave => {
      const { attempt = "", continuation = "" } = this.#turn ?? {};
      return { ...key, attempt, continuation };
    };
    return {
      texts: this.#texts,
      language: this.#language,
      session,
      method,
      sdkId: key.sdkId,
      base: location.origin + key.base,
      tab: linkOf(key, location.origin),
      embedded: embedded(),
      show: (screen) => here && this.#show(screen),
      say: (said) => here && this.#stage.say(said),
      answer: (input, progress) => here && this.#answer(input, progress),
      poll: (ms) => here && this.#poll(ms),
      watch: (ms) => here && this.#watch(ms),
      later: (ms, act) => void (here && this.#later(ms, act)),
      leaving: (act) => this.#leavings.push(act),
      other: () => here && this.#other(),
      follow: this.#mayHandOff(this.#method ? [this.#method] : []) ? () => this.#go({ on: "following" }) : undefined,
      depart: (url) => here && this.#depart(leave(), url),
      awaitReturn: () => {
        if (here) {
          const awaited = leave();
          awaitReturn(awaited);
          this.#leavings.push(() => awaitNoReturn(awaited));
        }
      },
      errand: (url) => errandAddress({ ...leave(), url }),
    };
  }

  #answer(input: object | (() => Promise<object>), progress?: Progress): void {
    const { attempt = "", continuation = null } = this.#turn ?? {};
    // What is asked from time to time must not come between.
    this.#screen += 1;
    this.#work(
      async (api) => {
        const made = typeof input === "function" ? await input() : input;
        return api.answer(attempt, { continuation, ...made }, progress);
      },
      (turn) => this.#turned(turn),
    );
  }

  /** Asks whether a step that others do is done, until it is. */
  #poll(ms: number): void {
    clearTimeout(this.#asker);
    this.#asker = this.#later(ms, () => {
      const [api, turn, screen] = [this.#api, this.#turn, this.#screen];
      if (!api || !turn?.attempt) {
        return;
      }
      if (this.#asking) {
        this.#poll(Math.max(ms, FAST_MS));
        return;
      }
      this.#asking = true;
      const then = (act: () => void) => {
        this.#asking = false;
        if (this.#screen === screen) {
          act();
        }
      };
      api.answer(turn.attempt, { continuation: turn.continuation }).then(
        (latest) => then(() => this.#polled(turn, latest, ms)),
        (error: unknown) => then(() => this.#unanswered(error, () => this.#poll(Math.max(ms, FOLLOW_MS)))),
      );
    });
  }

  #polled(turn: Turn, latest: Turn, ms: number): void {
    // A wallet may be called anew; what else there is goes on where it is, whatever its address looks like by now.
    const called = latest.step?.kind === "wallet" ? latest.step.url === turn.step?.url : true;
    if (latest.attempt && latest.step?.kind === turn.step?.kind && called && !latest.problem) {
      this.#turn = latest;
      this.#know(latest.session);
      this.#poll(Math.max(ms, FAST_MS));
    } else {
      this.#rendered = undefined;
      this.#turned(latest);
    }
  }

  /** Somebody who only waits is not told of a network that was away for a moment: it is asked again. */
  #unanswered(error: unknown, again: () => void): void {
    if (error instanceof Interrupted) {
      again();
    } else {
      this.#fail(error, again);
    }
  }

  /** Looks after the session until something of it has changed, while another tab is at it. */
  #watch(ms: number, seen = this.#session): void {
    const mark = (session: Session | undefined) =>
      session && JSON.stringify([session.status, session.tried, session.methods]);
    this.#later(ms, () => {
      const screen = this.#screen;
      const here = (act: () => void) => this.#screen === screen && act();
      this.#api?.session().then(
        (session) => here(() => (mark(session) === mark(seen) ? this.#watch(ms, seen) : this.#take(session))),
        (error: unknown) => here(() => this.#unanswered(error, () => this.#watch(ms, seen))),
      );
    });
  }

  /** Back to the choice. */
  #other(): void {
    this.#go({ on: "loading" });
    this.#work(
      (api) => api.session(),
      (session) => this.#take(session),
    );
  }

  /** Goes to a provider. A browser that keeps nothing would not find back. */
  #depart(leave: Leave, url: string): void {
    if (keep(leave)) {
      location.assign(url);
    } else {
      this.#unable();
    }
  }

  /** The page, or this browser, cannot do what comes next. */
  #unable(): void {
    const { unknown, otherWay } = this.#texts;
    const other = this.#session ? row(primary(otherWay, () => this.#other())) : undefined;
    this.#show({ heading: unknown.heading, body: [paragraph(unknown.body), other] });
  }

  // --- other devices, and the end ---

  #mayHandOff(methods: Method[]): boolean {
    return methods.some(({ handOff }) => handOff) && !isPhone() && this.#key?.handedOff === false;
  }

  #showCode(shown: screens.Shown): void {
    const link = this.#key ? linkOf(this.#key, location.origin) : "";
    const copy = async () => {
      if (await copied(link)) {
        this.#stage.say(this.#texts.phone.copied);
      }
    };
    this.#show(screens.following(shown, link, () => void copy()));
    // Most people need no code, so what draws it is fetched for those who do.
    const screen = this.#screen;
    import("../shared/qr").then(
      ({ drawQr }) => this.#screen === screen && showCode(drawQr(link, "byte")),
      // The link is there as well.
      () => undefined,
    );
  }

  /** Asks from time to time how far it is, elsewhere. */
  #follow(): void {
    this.#later(FOLLOW_MS, () => {
      const [screen, before] = [this.#screen, this.#where.on];
      this.#api?.session().then(
        (session) => {
          if (this.#screen !== screen) {
            return;
          }
          this.#followed ||= before === "following";
          const next = whereFrom(session);
          const there = next.on === before || (before === "following" && (next.on === "start" || next.on === "none"));
          if (!there) {
            this.#take(session);
            return;
          }
          this.#know(session);
          this.#tellProgress(session);
          this.#follow();
        },
        (error: unknown) => this.#screen === screen && this.#unanswered(error, () => this.#follow()),
      );
    });
  }

  #tellProgress(session: Session): void {
    const followed = document.querySelector("#followed");
    const said = screens.followed(session, this.#texts);
    if (followed && followed.textContent !== said) {
      followed.textContent = said;
      this.#stage.say(said);
    }
  }

  async #finish(shown: screens.Shown): Promise<void> {
    const { session } = shown;
    const order = this.#order();
    if (order) {
      this.#sign(order);
      return;
    }
    const offers = make("div", { id: "offers" });
    this.#show(screens.done(shown, this.#followed, offers));
    const offering = session.offers.key || session.offers.proof;
    this.#return(session, offering ? OFFER_S : THANKS_S);
    // Where it cannot be fetched, the session has ended all the same.
    const loaded = offering ? await import("./endings").catch(() => undefined) : undefined;
    if (loaded && this.#api) {
      const { api, texts } = { api: this.#api, texts: this.#texts };
      const say = (said: string) => this.#stage.say(said);
      offers.append(...loaded.offersOf(session.offers, { api, texts, say, stay: () => this.#stay() }));
    }
  }

  /** Goes back to the business by itself where it wants that; not without saying so, and not where somebody stays. */
  #return(session: Session, seconds: number): void {
    const told = document.getElementById("leaving");
    const { done: say } = this.#texts;
    if (!session.callback?.auto || !told || !this.#leaveTo(session)) {
      return;
    }
    told.hidden = false;
    const stay = () => {
      this.#stay();
      find("heading").focus();
    };
    told.after(button(say.stay, stay, { id: "stay", class: "quiet" }));
    const count = (left: number) => {
      told.textContent = fill(say.leaving, { seconds: left });
      if (left <= 0) {
        this.#leave();
      } else {
        this.#later(1000, () => count(left - 1));
      }
    };
    count(seconds);
    this.#stage.say(fill(say.leaving, { seconds }));
  }

  /** Nobody is led away any more. */
  #stay(): void {
    for (const timer of this.#timers.splice(0)) {
      clearTimeout(timer);
    }
    document.getElementById("leaving")?.remove();
    document.getElementById("stay")?.remove();
  }

  #end(why: Over): void {
    const issuing = this.#issues();
    this.#giveUp();
    const href = why === "cancelled" ? this.#cancelTo() : this.#session && this.#leaveTo(this.#session);
    this.#show(screens.over(this.#texts, why, { href, awaited: this.#issuing.awaited, issuing, embedded: embedded() }));
    if (why === "cancelled" && href && !embedded()) {
      this.#later(0, () => location.assign(href));
    }
  }

  /** Where the business wants people at the end. A phone that helped goes nowhere. */
  #leaveTo(session: Session): string | undefined {
    return this.#key?.handedOff ? undefined : (this.#issuing.back ?? followable(session.callback?.url)?.href);
  }

  #cancelTo(): string | undefined {
    return this.#key?.handedOff ? undefined : (this.#issuing.back ?? followable(this.#session?.cancelUrl)?.href);
  }

  #leave(): void {
    const url = this.#session && this.#leaveTo(this.#session);
    if (url) {
      location.assign(url);
    }
  }

  async #stop(): Promise<void> {
    const { cancelMeans, issue } = this.#texts;
    find("meaning").textContent = this.#issues() ? issue.cancelMeans : cancelMeans;
    if (await answered()) {
      this.#cancel();
    }
  }

  #cancel(): void {
    this.#go({ on: "loading" });
    this.#work(
      (api) => api.cancel(),
      (session) => this.#take(session),
    );
  }

  #breakDown(): void {
    if (!["done", "failed", "over"].includes(this.#where.on)) {
      this.#broken = true;
      for (const act of this.#leavings.splice(0)) {
        act();
      }
      find("stop").hidden = true;
      this.#stage.show(screens.broken(this.#texts), this.#texts, "broken");
    }
  }

  #later(ms: number, act: () => void): ReturnType<typeof setTimeout> {
    const timer = setTimeout(act, ms);
    this.#timers.push(timer);
    return timer;
  }

  #shown(session: Session): screens.Shown {
    return {
      session,
      texts: this.#texts,
      language: this.#language,
      acts: {
        choose: (method) => this.#choose(method),
        consent: (given) => this.#consent(given),
        other: () => this.#other(),
        follow: () => this.#go({ on: "following" }),
        stop: () => void this.#stop(),
      },
      handedOff: this.#key?.handedOff === true,
      mayHandOff: this.#mayHandOff(usable(session)),
      leaveTo: this.#leaveTo(session),
      awaited: this.#issuing.awaited,
      keysAt: this.#key && keysAddress(this.#key),
      embedded: embedded(),
    };
  }
}

/** What is asked again after something had been asked at once. */
const FAST_MS = 1000;

/** Minutes and seconds. */
function clockOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The origin that may be told something: never any. */
function originOf(address: string | undefined): string | undefined {
  try {
    const { origin } = new URL(address ?? "");
    return origin === "null" ? undefined : origin;
  } catch {
    return undefined;
  }
}

/** What the page cannot do without. */
function fit(): boolean {
  return "timeout" in AbortSignal && "showModal" in HTMLDialogElement.prototype;
}

/** What an address and a tab say of why somebody is here. */
interface Arrival {
  key: Key | undefined;
  leave?: Leave;
  returned?: Record<string, string>;
  errand?: Errand;
  order?: Order;
  answer?: { channel: string; response: string };
}

/** Reads the address and what this tab kept, and takes both away where others could see them. */
function arrival(): Arrival {
  const url = new URL(location.href);
  const place = placeOf(url.pathname);
  if (place.method === "issue") {
    const order = orderOf(url.hash);
    history.replaceState(null, "", location.pathname);
    return order ? { key: undefined, order } : { key: undefined };
  }
  if (!place.returned) {
    return { key: keyOf(url) };
  }
  const answer = answerOf(url.hash);
  if (answer) {
    history.replaceState(null, "", location.pathname);
    return { key: undefined, answer };
  }
  const errand = errandOf(url.hash);
  if (errand) {
    history.replaceState(null, "", location.pathname);
    return { key: undefined, errand };
  }
  const leave = taken(url.searchParams.get("attempt"));
  // What a provider sent is for one use, and no business of the browser's history.
  history.replaceState(null, "", leave ? addressOf(leave) : location.pathname);
  return leave
    ? { key: leave, leave, returned: Object.fromEntries(url.searchParams) }
    : { key: undefined, returned: {} };
}

async function main(): Promise<void> {
  const { method, base } = placeOf(location.pathname);
  const { key, leave, returned, errand, order, answer } = arrival();
  const locale = (key ?? errand)?.locale ?? (method === KEYS ? localeOf(new URL(location.href)) : undefined);
  const wanted = choose([...(locale ? [locale] : []), ...navigator.languages], LANGUAGES);
  const { texts, language } = await textsIn(wanted);
  const stage = new Stage();
  stage.speak(texts, language);
  const page = new Page(stage, texts, language);
  page.start();
  if (!fit()) {
    page.over("unsupported");
  } else if (method === KEYS) {
    page.forget(base);
  } else if (errand) {
    page.runErrand(errand);
  } else if (order) {
    page.issue(base, order);
  } else if (answer) {
    page.handBack(answer);
  } else if (leave && returned) {
    page.comeBack(leave, returned);
  } else if (returned) {
    page.lost();
  } else if (key) {
    page.open(key, method);
  } else {
    page.over("incomplete");
  }
}

void main();
