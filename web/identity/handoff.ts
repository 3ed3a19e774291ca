// Going on with a phone: the code that opens the session there, and how far it is, which this page follows.

import { showCode } from "../shared/handoff";
import { Interrupted, Refused } from "../shared/network";
import { type Api, failureOf } from "./api";
import { type Session, toShort } from "./frame";
import type { Plan } from "./plan";

/** How often the other device is looked after, in milliseconds. */
export const FOLLOW_MS = 2500;

/** The link that opens a session on a phone. */
export function linkTo(session: Session | undefined): string {
  const page = new URL("./", location.href).href;
  return session ? `${page}#${toShort(session)}` : "";
}

/** Most people need no code, so what draws it is fetched for those who do. */
export async function drawCode(link: string): Promise<void> {
  const { drawQr } = await import("../shared/qr");
  showCode(drawQr(link, "byte"));
}

/** What is left to be done, or that it is done elsewhere: the token is gone then. Nothing where nobody answers now. */
export async function lookAfter(api: Api, deadline: number): Promise<Plan | "finished" | undefined> {
  try {
    return await api.plan();
  } catch (error) {
    if (error instanceof Refused && failureOf(error) && Date.now() < deadline) {
      return "finished";
    }
    if (!(error instanceof Interrupted)) {
      throw error;
    }
    return undefined;
  }
}
