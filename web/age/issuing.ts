// The tab of an issuer of blind tokens: it begins a session that knows of no other, and hands on what came of it.

import { make } from "../shared/dom";
import { call, parse, patiently } from "../shared/network";
import { paragraph, row, tick } from "../shared/pieces";
import { isUuid } from "../shared/short";
import type { Screen } from "../shared/stage";
import { forgetOrder, type Kept, keepOrder, keptOrder, NOTHING, type Order, tell, wayBack } from "./order";
import { toTheTab } from "./screens";
import { json, list, text } from "./session";
import type { Texts } from "./texts";

/** A session of the issuer, what leads it, and to which other servers it hands answers. */
export interface Begun {
  id: string;
  sdkId: string;
  key: string;
  redeemers: string[];
}

/** Begins one for an age, in years. */
async function begin(base: string, threshold: number): Promise<Begun> {
  const headers = { "content-type": "application/json" };
  const once = () => call("POST", `${base}/age/v1/anonymity/sessions`, headers, JSON.stringify({ threshold }));
  const body = json(parse((await patiently(once)).text));
  const [id, sdkId, key] = [text(body.id) ?? "", text(body.sdk_id) ?? "", text(body.key) ?? ""];
  if (!isUuid(id) || !isUuid(sdkId) || !key) {
    throw new TypeError("an answer that is no session");
  }
  return { id, sdkId, key, redeemers: list(body.redeemers).filter((one) => typeof one === "string") };
}

/** What the page does for it. */
export interface Showing {
  show(screen: Screen): void;
  say(words: string): void;
}

export class Issuing {
  readonly #texts: Texts;
  readonly #page: Showing;
  /** Here as well as in the tab's storage, because some browsers keep nothing. */
  #kept: Kept | undefined;
  /** Whether another tab of this browser is told how it ended, or where that is another server's. */
  awaited = false;
  back: string | undefined;

  constructor(texts: Texts, page: Showing) {
    this.#texts = texts;
    this.#page = page;
  }

  /** The order that this tab has for a session. */
  order(id: string): Kept | undefined {
    return this.#kept?.id === id ? this.#kept : keptOrder(id);
  }

  /** Begins a session for an order. None where the order comes from a page that this issuer gives nothing to: that is said
   * before anybody shows anything. */
  async begin(base: string, order: Order): Promise<Begun | undefined> {
    const begun = await begin(base, order.threshold);
    const { id, key, redeemers } = begun;
    const kept = { ...order, id, key, redeemers };
    if (order.back !== undefined && !wayBack(kept, NOTHING)) {
      this.#end(this.#texts.issue.stranger);
      return undefined;
    }
    this.#kept = kept;
    keepOrder(kept);
    return begun;
  }

  /** The issuer begins nothing for an order. Whether another server's page is to be believed is not known then. */
  refuse({ channel, back }: Order): void {
    if (back === undefined) {
      this.#tell(channel, NOTHING);
    }
    this.#end();
  }

  /** What the issuer signed, or nothing, goes to where the order came from. */
  handOn(order: Kept, response: string): void {
    if (response === NOTHING) {
      this.giveUp(order);
      this.#end();
    } else if (order.back === undefined) {
      // The order stays until the other tab has heard: until then it can be signed again.
      this.handOver(order.channel, response);
    } else {
      this.#forget();
      const back = wayBack(order, response);
      if (back) {
        location.assign(back);
      } else {
        this.#end(this.#texts.issue.stranger);
      }
    }
  }

  /** Hands an answer to the tab of this browser that waits for it. */
  handOver(channel: string, response: string): void {
    this.#tell(channel, response);
    if (response === NOTHING) {
      this.#end();
      return;
    }
    const { done, goBack } = this.#texts.issue;
    this.#page.show({ heading: done, body: [tick(), ...toTheTab(this.#texts)], spoken: goBack });
  }

  /** Nothing comes of an order: the tab that waits for it hears of that, at once or when somebody goes back there. */
  giveUp(order: Kept): void {
    this.#forget();
    if (order.back === undefined) {
      this.#tell(order.channel, NOTHING);
    } else {
      this.back = wayBack(order, NOTHING);
    }
  }

  #end(why?: string): void {
    const { none, back, goBack } = this.#texts.issue;
    const link = this.back ? row(make("a", { href: this.back, class: "press main" }, back)) : undefined;
    const told = why ? paragraph(why) : undefined;
    const body = [told, ...(link ? [link] : toTheTab(this.#texts))];
    this.#page.show({ heading: none, body, spoken: why ?? goBack });
  }

  #tell(channel: string, response: string): void {
    this.awaited = true;
    tell(channel, response, () => {
      this.#forget();
      const close = document.getElementById("heard");
      if (close) {
        close.hidden = false;
        this.#page.say(this.#texts.issue.close);
      }
    });
  }

  #forget(): void {
    this.#kept = undefined;
    forgetOrder();
  }
}
