// The tab of an issuer of blind tokens: it begins a session that knows of no other, and hands on what came of it.

import { type IssuerOrder, NOTHING, type Order, wayBack } from "../order";
import type { IssuerSession } from "./events";
import { ask, enter, type Transition, use } from "./transition";

/** The issuer has begun a session. Where the order comes from a page that it gives nothing to, that is said before anybody
 * shows anything. */
export function beginIssuing(t: Transition, base: string, order: Order, began: IssuerSession): void {
  const { id, sdkId, key, redeemers } = began;
  const kept = { ...order, id, key, redeemers };
  if (order.back !== undefined && !wayBack(kept, NOTHING)) {
    enter(t, { on: "notIssued", stranger: true });
    return;
  }
  t.do({ do: "keepOrder", order: kept });
  const session = { base, id, sdkId, locale: undefined, handedOff: false };
  use(t, session, kept);
  t.do({ do: "replaceAddress", key: session });
  ask(t, { ask: "open", path: undefined });
}

/** The issuer begins nothing. Whether another server's page is to be believed is not known then. */
export function refuseOrder(t: Transition, { channel, back }: Order): void {
  if (back === undefined) {
    tell(t, channel, NOTHING);
  }
  enter(t, { on: "notIssued", stranger: false });
}

/** What the issuer signed, or nothing, goes to where the order came from. */
export function handOn(t: Transition, order: IssuerOrder, response: string): void {
  if (response === NOTHING) {
    giveUp(t);
    enter(t, { on: "notIssued", stranger: false });
  } else if (order.back === undefined) {
    // The order stays until the other tab has heard: until then it can be signed again.
    tellTab(t, order.channel, response);
  } else {
    forgetOrder(t);
    const url = wayBack(order, response);
    if (url) {
      t.do({ do: "goTo", url });
    } else {
      enter(t, { on: "notIssued", stranger: true });
    }
  }
}

/** Hands an answer to the tab of this browser that waits for it. */
export function tellTab(t: Transition, channel: string, response: string): void {
  tell(t, channel, response);
  enter(t, response === NOTHING ? { on: "notIssued", stranger: false } : { on: "issued" });
}

/** Nothing comes of an order: the tab that waits for it hears of that, at once or when somebody goes back there. */
export function giveUp(t: Transition): void {
  const { order } = t.state.issuer;
  if (!order) {
    return;
  }
  forgetOrder(t);
  if (order.back === undefined) {
    tell(t, order.channel, NOTHING);
  } else {
    t.setIssuer({ back: wayBack(order, NOTHING) });
  }
}

function tell(t: Transition, channel: string, response: string): void {
  t.setIssuer({ tells: true });
  t.do({ do: "tellTab", channel, response });
}

function forgetOrder(t: Transition): void {
  t.setIssuer({ order: undefined });
  t.do({ do: "forgetOrder" });
}
