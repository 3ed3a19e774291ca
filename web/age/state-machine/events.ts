// What happens to the page of age sessions, and what it has done about it.

import type { Errand, Key, Leave } from "../address";
import type { IssuerOrder, Order } from "../order";
import type { Method, Session, Turn } from "../session";
import type { Input, Over, Poll, Request } from "./state";

/** Why an answer did not come. */
export type Failure =
  | { kind: "refused"; status: number; code: string }
  | { kind: "interrupted"; why: "network" | "serviceDown" };

/** An issuer's session that has begun. */
export interface IssuerSession {
  id: string;
  sdkId: string;
  key: string;
  /** Other servers that the issuer hands answers to. */
  redeemers: string[];
}

/** What happened. */
export type Event =
  // How the page was opened.
  | { is: "opened"; key: Key; path: string | undefined; order: IssuerOrder | undefined }
  | { is: "returned"; leave: Leave; returned: Record<string, string>; order: IssuerOrder | undefined }
  | { is: "sentOn"; errand: Errand }
  | { is: "ordered"; base: string; order: Order }
  | { is: "handedBack"; channel: string; response: string }
  | { is: "cameFromNowhere" }
  | { is: "keysOpened"; base: string }
  | { is: "couldNotOpen"; why: Over }
  // What the person does. A step's events name the view that they come from.
  | { is: "chose"; method: Method }
  | { is: "consented"; given: boolean }
  | { is: "wentOn" }
  | { is: "wentBack" }
  | { is: "handedOff" }
  | { is: "resumed" }
  | { is: "stopped" }
  | { is: "stayed" }
  | { is: "navigatedBack"; entry: boolean }
  | { is: "submitted"; view: number; input: Input; progress: ((part: number) => void) | undefined }
  | { is: "departed"; view: number; url: string }
  | { is: "walletOpened"; view: number }
  // What a step's view waits for.
  | { is: "pollWanted"; view: number; ms: number }
  | { is: "watchWanted"; view: number; ms: number }
  // What the server says.
  | { is: "sessionRead"; number: number; session: Session }
  | { is: "turnTaken"; number: number; turn: Turn }
  | { is: "loaded"; number: number }
  | { is: "issuerBegan"; number: number; began: IssuerSession }
  | { is: "signed"; number: number; response: string }
  | { is: "failed"; number: number; failure: Failure }
  // What the browser says.
  | { is: "waited"; number: number }
  | { is: "expired" }
  | { is: "keptNothing" }
  | { is: "heard" }
  | { is: "broke" };

/** What is to be done about it. */
export type Effect =
  | { do: "request"; number: number; request: Request | Poll }
  | { do: "wait"; number: number; ms: number }
  /** Warns of the session's end, and says when it has come; nothing where it has none. */
  | { do: "watchTime"; seconds: number | undefined }
  | { do: "tellParent"; origin: string; message: object }
  | { do: "tellTab"; channel: string; response: string }
  | { do: "keepOrder"; order: IssuerOrder }
  | { do: "forgetOrder" }
  /** Keeps what brings the person back, and goes to a provider. */
  | { do: "depart"; leave: Leave; url: string }
  | { do: "awaitReturn"; leave: Leave }
  | { do: "awaitNoReturn"; leave: Leave }
  | { do: "replaceAddress"; key: Key }
  | { do: "goTo"; url: string }
  /** Goes there after some seconds, not without saying so. */
  | { do: "announceReturn"; url: string; seconds: number }
  | { do: "stay" }
  | { do: "pushEntry" }
  | { do: "navigateBack" }
  | { do: "reload" };
