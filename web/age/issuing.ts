// The issuer of blind tokens begins a session that knows of no other.

import { call, parse, patiently } from "../shared/network";
import { isUuid } from "../shared/short";
import { json, list, text } from "./session";

/** A session of the issuer, and to which other servers it hands answers. */
export interface Begun {
  id: string;
  sdkId: string;
  redeemers: string[];
}

/** Begins one for an age, in years. */
export async function begin(base: string, threshold: number): Promise<Begun> {
  const headers = { "content-type": "application/json" };
  const once = () => call("POST", `${base}/age/v1/anonymity/sessions`, headers, JSON.stringify({ threshold }));
  const body = json(parse((await patiently(once)).text));
  const [id, sdkId] = [text(body.id) ?? "", text(body.sdk_id) ?? ""];
  if (!isUuid(id) || !isUuid(sdkId)) {
    throw new TypeError("an answer that is no session");
  }
  return { id, sdkId, redeemers: list(body.redeemers).filter((one) => typeof one === "string") };
}
