// Events and effects of the age verification page.

import type { Method, Session, Turn } from "../session";
import type { RedirectTab, ReturnState, SessionKey } from "../session-url";
import type { IssuerOrder, TokenOrder } from "../token-request";
import type { OverReason, PageRequest, Poll, StepInput } from "./state";

/** Why a request failed. */
export type Failure =
  | { kind: "refused"; status: number; code: string }
  | { kind: "interrupted"; why: "network" | "serviceDown" };

/** A session that an issuer of blind tokens has created. */
export interface IssuerSession {
  id: string;
  sdkId: string;
  key: string;
  /** Origins of other servers that the issuer delivers tokens to. */
  redeemers: string[];
}

export type PageEvent =
  // How the page was opened.
  | { is: "opened"; key: SessionKey; path: string | undefined; order: IssuerOrder | undefined }
  | { is: "returned"; returnState: ReturnState; returned: Record<string, string>; order: IssuerOrder | undefined }
  | { is: "redirectTabOpened"; redirectTab: RedirectTab }
  | { is: "issuerPageOpened"; base: string; order: TokenOrder }
  | { is: "answerReturned"; channel: string; response: string }
  | { is: "returnedWithoutState" }
  | { is: "forgetPageOpened"; base: string }
  | { is: "couldNotOpen"; why: OverReason }
  // What the person does. Events of a step carry the number of its view.
  | { is: "methodChosen"; method: Method }
  | { is: "consented"; given: boolean }
  | { is: "continued" }
  | { is: "backToChoice" }
  | { is: "handOffChosen" }
  | { is: "resumed" }
  | { is: "stopped" }
  | { is: "autoReturnDeclined" }
  | { is: "navigatedBack"; entry: boolean }
  | { is: "submitted"; view: number; input: StepInput; progress: ((part: number) => void) | undefined }
  | { is: "providerChosen"; view: number; url: string }
  | { is: "walletOpened"; view: number }
  // What a step's view asks for.
  | { is: "pollRequested"; view: number; ms: number }
  | { is: "watchRequested"; view: number; ms: number }
  // What the server says.
  | { is: "sessionReceived"; number: number; session: Session }
  | { is: "turnReceived"; number: number; turn: Turn }
  | { is: "loaded"; number: number }
  | { is: "issuerSessionCreated"; number: number; began: IssuerSession }
  | { is: "signed"; number: number; response: string }
  | { is: "failed"; number: number; failure: Failure }
  // What the browser says.
  | { is: "timerFired"; number: number }
  | { is: "expired" }
  | { is: "storageFailed" }
  | { is: "tabAcknowledged" }
  | { is: "crashed" };

export type Effect =
  | { do: "request"; number: number; request: PageRequest | Poll }
  | { do: "startTimer"; number: number; ms: number }
  /** Counts down to the session's expiry; `undefined` stops the countdown. */
  | { do: "startCountdown"; seconds: number | undefined }
  | { do: "notifyParent"; origin: string; message: object }
  | { do: "postToTab"; channel: string; response: string }
  | { do: "saveOrder"; order: IssuerOrder }
  | { do: "forgetOrder" }
  /** Saves the return state, then goes to a provider. */
  | { do: "goToProvider"; returnState: ReturnState; url: string }
  | { do: "saveWalletReturn"; returnState: ReturnState }
  | { do: "forgetWalletReturn"; returnState: ReturnState }
  /** Nothing of use is kept under a passkey in this browser any more. */
  | { do: "noteNothingKept" }
  | { do: "replaceAddress"; key: SessionKey }
  | { do: "navigate"; url: string }
  /** Goes there after a countdown that can be cancelled. */
  | { do: "announceReturn"; url: string; seconds: number }
  | { do: "cancelAutoReturn" }
  | { do: "pushHistoryEntry" }
  | { do: "navigateBack" }
  | { do: "reload" };
