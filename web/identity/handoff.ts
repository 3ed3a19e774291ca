// Going on with a phone: the code that opens the session there, and how far it is, which this page follows.

import { showQrCode } from "../shared/handoff";
import { importAgain } from "../shared/import-again";
import { InterruptedError } from "../shared/network";
import { type Api, isFinished } from "./api";
import type { SessionConfig } from "./requirements";
import { type Session, toShortLink } from "./session";

/** How often the other device is looked after, in milliseconds. */
export const FOLLOW_INTERVAL_MS = 2500;

/** The link that opens a session on a phone. */
export function handOffLink(session: Session | undefined): string {
  const page = new URL("./", location.href).href;
  return session ? `${page}#${toShortLink(session)}` : "";
}

/** Most people need no code, so what draws it is fetched for those who do. Without it the link is still shown. */
export async function drawHandOffCode(link: string): Promise<void> {
  const qr = await importAgain(() => import("../shared/qr")).catch(() => undefined);
  if (qr) {
    showQrCode(qr.drawQr(link, "byte"));
  }
}

/** What is left to be done by the deadline, or that it is done elsewhere. Nothing where nobody answers now. */
export async function fetchProgress(api: Api, deadline: number): Promise<SessionConfig | "finished" | undefined> {
  try {
    return await api.config();
  } catch (error) {
    if (isFinished(error, deadline)) {
      return "finished";
    }
    if (!(error instanceof InterruptedError)) {
      throw error;
    }
    return undefined;
  }
}
