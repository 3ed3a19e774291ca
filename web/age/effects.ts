// Does what the state machine decides: asks the server, waits, keeps, and goes elsewhere. What comes of it is an event again.

import { Interrupted, Refused } from "../shared/network";
import { addressOf, awaitNoReturn, awaitReturn, type Key, keep } from "./address";
import { Api, beginIssuing } from "./api";
import { forgetOrder, keepOrder, tell } from "./order";
import type { Effect, Event, Failure } from "./state-machine/events";
import type { Poll, Request } from "./state-machine/state";
import { loadForgetting, loadStep } from "./steps/programs";
import type { TimeLeft } from "./time-left";
import type { View } from "./view";

export class Effects {
  readonly #dispatch: (event: Event) => void;
  readonly #view: View;
  readonly #time: TimeLeft;
  readonly #language: string;
  /** The timer of what is asked from time to time; there is one at most. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(dispatch: (event: Event) => void, view: View, time: TimeLeft, language: string) {
    this.#dispatch = dispatch;
    this.#view = view;
    this.#time = time;
    this.#language = language;
  }

  /** `key` is that of the session, where there is one. */
  run(effect: Effect, key: Key | undefined): void {
    switch (effect.do) {
      case "request":
        this.#request(effect.number, effect.request, key);
        return;
      case "wait":
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#dispatch({ is: "waited", number: effect.number }), effect.ms);
        return;
      case "watchTime":
        this.#time.watch(effect.seconds);
        return;
      case "tellParent":
        window.parent.postMessage(effect.message, effect.origin);
        return;
      case "tellTab":
        tell(effect.channel, effect.response, () => this.#dispatch({ is: "heard" }));
        return;
      case "keepOrder":
        keepOrder(effect.order);
        return;
      case "forgetOrder":
        forgetOrder();
        return;
      case "depart":
        // A browser that keeps nothing would not find back.
        if (keep(effect.leave)) {
          location.assign(effect.url);
        } else {
          this.#dispatch({ is: "keptNothing" });
        }
        return;
      case "awaitReturn":
        awaitReturn(effect.leave);
        return;
      case "awaitNoReturn":
        awaitNoReturn(effect.leave);
        return;
      case "replaceAddress":
        history.replaceState(null, "", addressOf(effect.key));
        return;
      case "goTo":
        location.assign(effect.url);
        return;
      case "announceReturn":
        this.#view.announceReturn(effect.url, effect.seconds);
        return;
      case "stay":
        this.#view.stay();
        return;
      case "pushEntry":
        history.pushState(HISTORY_ENTRY, "");
        return;
      case "navigateBack":
        history.back();
        return;
      case "reload":
        location.reload();
        return;
    }
  }

  #request(number: number, request: Request | Poll, key: Key | undefined): void {
    this.#answer(number, request, key).then(this.#dispatch, (error: unknown) => {
      const failure = failureOf(error);
      if (!failure) {
        // Not the network and not the server: it is heard of where all mistakes are.
        throw error;
      }
      this.#dispatch({ is: "failed", number, failure });
    });
  }

  async #answer(number: number, request: Request | Poll, key: Key | undefined): Promise<Event> {
    switch (request.ask) {
      case "load":
        await loadStep(request.kind);
        return { is: "loaded", number };
      case "loadKeys":
        await loadForgetting();
        return { is: "loaded", number };
      case "issue":
        return { is: "issuerBegan", number, began: await beginIssuing(request.base, request.order.threshold) };
      default:
        break;
    }
    if (!key) {
      throw new TypeError(`${request.ask} without a session`);
    }
    const api = apiOf(key);
    switch (request.ask) {
      case "consent":
        return { is: "sessionRead", number, session: await api.consent(request.given) };
      case "cancel":
        return { is: "sessionRead", number, session: await api.cancel() };
      case "begin": {
        const turn = await api.begin(request.method.method, this.#language, request.key);
        return { is: "turnTaken", number, turn };
      }
      case "answer": {
        const { attempt, input, progress } = request;
        const made = typeof input === "function" ? await input() : input;
        const answer = { continuation: attempt.continuation, ...made };
        return { is: "turnTaken", number, turn: await api.answer(attempt.id, answer, progress) };
      }
      case "return": {
        const { leave, returned } = request;
        const turn = await api.answer(leave.attempt, { continuation: leave.continuation, returned });
        return { is: "turnTaken", number, turn };
      }
      case "poll": {
        const { id, continuation } = request.attempt;
        return { is: "turnTaken", number, turn: await api.answer(id, { continuation }) };
      }
      case "sign":
        return { is: "signed", number, response: await api.token(request.order) };
      default:
        return { is: "sessionRead", number, session: await api.session() };
    }
  }
}

/** What the browser's history keeps of the screens within a session. */
export const HISTORY_ENTRY = { assay: "within" };

/** Whether a state of the browser's history is that. */
export function isHistoryEntry(state: unknown): boolean {
  return (state as { assay?: unknown } | null)?.assay === HISTORY_ENTRY.assay;
}

/** What calls the server for a session. */
export function apiOf(key: Key): Api {
  const brand = document.querySelector<HTMLMetaElement>("meta[name=brand]")?.content || "Svc";
  return new Api(key, brand);
}

function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Refused) {
    return { kind: "refused", status: error.status, code: error.code };
  }
  return error instanceof Interrupted ? { kind: "interrupted", why: error.why } : undefined;
}
