// How a session ends for the page that embeds this one: a number for each way, in the interface's own words.

import { exitUrl } from "../shared/safe-url";

/** The codes of the interface. Numbers are a promise to others: none changes its meaning. */
export const EVENT_CODES = {
  /** The person stopped. */
  cancelled: 1000,
  badToken: 2000,
  notFound: 2001,
  expired: 2002,
  noToken: 2003,
  noId: 2004,
  /** The server answers, and cannot help now. */
  serviceDown: 3000,
  /** Nobody answers. */
  network: 3001,
  cameraDenied: 4000,
  /** A document could not be read as often as may be tried. */
  attemptsUsed: 4001,
  noCamera: 5000,
  unsupportedBrowser: 5001,
  livenessAttemptsUsed: 5002,
  /** The camera gives nothing, and a file is not allowed. */
  cameraFailed: 5010,
  /** The person has none of the documents that are allowed. */
  noDocuments: 7000,
} as const;

/** A way for a session to end badly. */
export type Failure = keyof typeof EVENT_CODES;

/** What the page that embeds this one is told at the end. */
export interface EndMessage {
  eventType: "SUCCESS" | "ERROR";
  eventCode: number;
}

/** The message about an ending; a success has the code 0. */
export function endMessage(failure: Failure | undefined): EndMessage {
  return failure ? { eventType: "ERROR", eventCode: EVENT_CODES[failure] } : { eventType: "SUCCESS", eventCode: 0 };
}

/** The business's address with the code appended, if people may be sent there. */
export function redirectUrl(address: string | undefined, { eventType, eventCode }: EndMessage): string | undefined {
  const url = exitUrl(address);
  if (url && eventType === "ERROR") {
    url.searchParams.set("eventCode", String(eventCode));
  }
  return url?.href;
}
