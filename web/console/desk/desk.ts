// Which cases a reviewer has on the desk: the first is shown, the others were fetched ahead. Pure functions, so that what
// arrives late or twice is judged in one place.

import type { Case } from "../api/cases";

export interface Desk {
  /** Cases that are the reviewer's, in the order in which they are decided. */
  readonly held: readonly Case[];
  /** Cases that were decided or given away here: an answer that was under way may still have them. */
  readonly gone: ReadonlySet<string>;
}

export const EMPTY_DESK: Desk = { held: [], gone: new Set() };

/** What a claim answered: everything that the server says is the reviewer's. What is shown stays in front. Cases that the
 * server knew to be gone before it was asked, `settled`, may be the reviewer's anew. */
export function receive(desk: Desk, claimed: readonly Case[], settled: readonly string[] = []): Desk {
  const gone = new Set([...desk.gone].filter((id) => !settled.includes(id)));
  const theirs = claimed.filter(({ id }) => !gone.has(id));
  const known = desk.held.filter(({ id }) => theirs.some((one) => one.id === id));
  const fresh = theirs.filter(({ id }) => !desk.held.some((one) => one.id === id));
  return { gone, held: [...known, ...fresh] };
}

/** A case leaves the desk: it was decided, put on hold or given away. */
export function leave(desk: Desk, id: string): Desk {
  return { held: desk.held.filter((one) => one.id !== id), gone: new Set([...desk.gone, id]) };
}

/** A case comes back to the front: its decision was taken back, or did not arrive. */
export function restore(desk: Desk, returned: Case): Desk {
  const gone = new Set(desk.gone);
  gone.delete(returned.id);
  return { held: [returned, ...desk.held.filter(({ id }) => id !== returned.id)], gone };
}

/** Leases that did not go on: of those that were asked for, only `renewed` are still the reviewer's. */
export function keepRenewed(desk: Desk, asked: readonly string[], renewed: readonly string[]): Desk {
  return { ...desk, held: desk.held.filter(({ id }) => !asked.includes(id) || renewed.includes(id)) };
}

/** How long a decision can be taken back, in milliseconds. A clock that is wrong makes it neither nothing nor endless. */
export function undoTime(settlesAt: string, now: number): number {
  const left = Date.parse(settlesAt) - now;
  return left >= MIN_UNDO_MS && left <= MAX_UNDO_MS ? left : USUAL_UNDO_MS;
}

const MIN_UNDO_MS = 1_000;
const USUAL_UNDO_MS = 10_000;
const MAX_UNDO_MS = 120_000;
