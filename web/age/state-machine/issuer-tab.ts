// The tab of an issuer of blind tokens: it runs a session that is not linked to any other, and delivers the signed token.

import { answerUrl, type IssuerOrder, NO_SIGNATURE, type TokenOrder } from "../token-request";
import type { IssuerSession } from "./events";
import { enterScreen, sendRequest, setSession, type Transition } from "./transition";

/** The issuer has created a session. If it does not serve the page that the order came from, say so before the person
 * proves anything. */
export function beginIssuerSession(t: Transition, base: string, order: TokenOrder, began: IssuerSession): void {
  const { id, sdkId, key, redeemers } = began;
  const kept = { ...order, id, key, redeemers };
  if (order.back !== undefined && !answerUrl(kept, NO_SIGNATURE)) {
    enterScreen(t, { on: "notIssued", stranger: true });
    return;
  }
  t.do({ do: "saveOrder", order: kept });
  const session = { base, id, sdkId, locale: undefined, handedOff: false };
  setSession(t, session, kept);
  t.do({ do: "replaceAddress", key: session });
  sendRequest(t, { ask: "open", path: undefined });
}

/** The issuer refused to create a session. The order's return address is not used: it has not been checked against the
 * redeemers. */
export function refuseOrder(t: Transition, { channel, back }: TokenOrder): void {
  if (back === undefined) {
    postToTab(t, channel, NO_SIGNATURE);
  }
  enterScreen(t, { on: "notIssued", stranger: false });
}

/** Sends the signed token, or that there is none, to where the order came from. */
export function deliverAnswer(t: Transition, order: IssuerOrder, response: string): void {
  if (response === NO_SIGNATURE) {
    abandonOrder(t);
    enterScreen(t, { on: "notIssued", stranger: false });
  } else if (order.back === undefined) {
    // Keep the order until the other tab has acknowledged the token, so that it can be signed again until then.
    deliverToTab(t, order.channel, response);
  } else {
    forgetOrder(t);
    const url = answerUrl(order, response);
    if (url) {
      t.do({ do: "navigate", url });
    } else {
      enterScreen(t, { on: "notIssued", stranger: true });
    }
  }
}

/** Posts an answer to the tab of this browser that waits for it. */
export function deliverToTab(t: Transition, channel: string, response: string): void {
  postToTab(t, channel, response);
  enterScreen(t, response === NO_SIGNATURE ? { on: "notIssued", stranger: false } : { on: "issued" });
}

/** Gives up an order: the waiting tab is told at once, another server's page when the person returns to it. */
export function abandonOrder(t: Transition): void {
  const { order } = t.state.issuer;
  if (!order) {
    return;
  }
  forgetOrder(t);
  if (order.back === undefined) {
    postToTab(t, order.channel, NO_SIGNATURE);
  } else {
    t.setIssuer({ returnUrl: answerUrl(order, NO_SIGNATURE) });
  }
}

function postToTab(t: Transition, channel: string, response: string): void {
  t.setIssuer({ notifiesTab: true });
  t.do({ do: "postToTab", channel, response });
}

function forgetOrder(t: Transition): void {
  t.setIssuer({ order: undefined });
  t.do({ do: "forgetOrder" });
}
