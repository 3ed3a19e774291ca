// Runs the effects of the state machine: requests, timers, storage and navigation. Their results are dispatched as events.

import { InterruptedError, RefusedError } from "../shared/network";
import { Api, createIssuerSession } from "./api";
import { noteResultKept } from "./kept-here";
import { forgetWalletReturn, type SessionKey, saveReturnState, saveWalletReturn, sessionPath } from "./session-url";
import type { Effect, Failure, PageEvent } from "./state-machine/events";
import type { PageRequest, Poll } from "./state-machine/state";
import { loadForgetScreen, loadStep } from "./steps/loader";
import type { TimeLeft } from "./time-left";
import { forgetOrder, postAnswer, saveOrder } from "./token-request";
import type { View } from "./view";

export class EffectRunner {
  readonly #dispatch: (event: PageEvent) => void;
  readonly #view: View;
  readonly #time: TimeLeft;
  readonly #language: string;
  /** The timer of the current poll. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(dispatch: (event: PageEvent) => void, view: View, time: TimeLeft, language: string) {
    this.#dispatch = dispatch;
    this.#view = view;
    this.#time = time;
    this.#language = language;
  }

  /** `key` is that of the session, if there is one. */
  run(effect: Effect, key: SessionKey | undefined): void {
    switch (effect.do) {
      case "request":
        this.#request(effect.number, effect.request, key);
        return;
      case "startTimer":
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#dispatch({ is: "timerFired", number: effect.number }), effect.ms);
        return;
      case "startCountdown":
        this.#time.watch(effect.seconds);
        return;
      case "notifyParent":
        window.parent.postMessage(effect.message, effect.origin);
        return;
      case "postToTab":
        postAnswer(effect.channel, effect.response, () => this.#dispatch({ is: "tabAcknowledged" }));
        return;
      case "saveOrder":
        saveOrder(effect.order);
        return;
      case "forgetOrder":
        forgetOrder();
        return;
      case "goToProvider":
        // Without storage the person could not come back.
        if (saveReturnState(effect.returnState)) {
          location.assign(effect.url);
        } else {
          this.#dispatch({ is: "storageFailed" });
        }
        return;
      case "saveWalletReturn":
        saveWalletReturn(effect.returnState);
        return;
      case "forgetWalletReturn":
        forgetWalletReturn(effect.returnState);
        return;
      case "noteNothingKept":
        if (key) {
          noteResultKept(key.base, false);
        }
        return;
      case "replaceAddress":
        history.replaceState(null, "", sessionPath(effect.key));
        return;
      case "navigate":
        location.assign(effect.url);
        return;
      case "announceReturn":
        this.#view.announceReturn(effect.url, effect.seconds);
        return;
      case "cancelAutoReturn":
        this.#view.stay();
        return;
      case "pushHistoryEntry":
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

  #request(number: number, request: PageRequest | Poll, key: SessionKey | undefined): void {
    this.#answer(number, request, key).then(this.#dispatch, (error: unknown) => {
      const failure = failureOf(error);
      if (!failure) {
        // Neither the network nor the server: a bug, left to the global error handler.
        throw error;
      }
      this.#dispatch({ is: "failed", number, failure });
    });
  }

  async #answer(number: number, request: PageRequest | Poll, key: SessionKey | undefined): Promise<PageEvent> {
    switch (request.ask) {
      case "load":
        await loadStep(request.kind);
        return { is: "loaded", number };
      case "loadKeys":
        await loadForgetScreen();
        return { is: "loaded", number };
      case "issue":
        return {
          is: "issuerSessionCreated",
          number,
          began: await createIssuerSession(request.base, request.order.threshold),
        };
      default:
        break;
    }
    if (!key) {
      throw new TypeError(`${request.ask} without a session`);
    }
    const api = createApi(key);
    switch (request.ask) {
      case "consent":
        return { is: "sessionReceived", number, session: await api.consent(request.given) };
      case "cancel":
        return { is: "sessionReceived", number, session: await api.cancel() };
      case "begin": {
        const turn = await api.begin(request.method.method, this.#language, request.key);
        return { is: "turnReceived", number, turn };
      }
      case "answer": {
        const { attempt, input, progress } = request;
        const made = typeof input === "function" ? await input() : input;
        const answer = { continuation: attempt.continuation, ...made };
        return { is: "turnReceived", number, turn: await api.answer(attempt.id, answer, progress) };
      }
      case "return": {
        const { returnState, returned } = request;
        const turn = await api.answer(returnState.attempt, { continuation: returnState.continuation, returned });
        return { is: "turnReceived", number, turn };
      }
      case "poll": {
        const { id, continuation } = request.attempt;
        return { is: "turnReceived", number, turn: await api.answer(id, { continuation }) };
      }
      case "sign":
        return { is: "signed", number, response: await api.signToken(request.order) };
      default:
        return { is: "sessionReceived", number, session: await api.session() };
    }
  }
}

/** The state of the history entry for the screens after the choice of methods. */
export const HISTORY_ENTRY = { assay: "within" };

export function isHistoryEntry(state: unknown): boolean {
  return (state as { assay?: unknown } | null)?.assay === HISTORY_ENTRY.assay;
}

export function createApi(key: SessionKey): Api {
  const brand = document.querySelector<HTMLMetaElement>("meta[name=brand]")?.content || "Svc";
  return new Api(key, brand);
}

function failureOf(error: unknown): Failure | undefined {
  if (error instanceof RefusedError) {
    return { kind: "refused", status: error.status, code: error.code };
  }
  return error instanceof InterruptedError ? { kind: "interrupted", why: error.reason } : undefined;
}
