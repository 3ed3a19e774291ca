// The reviewer's desk as a screen uses it: claims ahead, renews leases, sends decisions while the next case is shown already,
// and takes them back.

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import {
  assignCase,
  type Case,
  claimCases,
  type DecisionInput,
  decideCase,
  type Exposure,
  type HoldInput,
  holdCase,
  type ReasonCode,
  recordViews,
  releaseCase,
  renewLeases,
  undoDecision,
} from "../api/cases";
import { type CallOptions, RefusedError } from "../api/client";
import type { HoldHours } from "../components/case-dialogs";
import { useToasts } from "../components/toasts";
import { navigate, placeHref } from "../router";
import { errorText, useSession } from "../session-context";
import { useTexts } from "../texts";
import { unsent } from "../unsent";
import { EMPTY_DESK, keepRenewed, leave, receive, restore, undoTime } from "./desk";
import type { View } from "./exposure";
import { PictureStore } from "./pictures";

/** The case that is shown, and the next one. */
const CLAIMED_CASES = 2;
/** A third of the time that a lease lasts. */
const RENEW_MS = 20_000;
/** How often an empty queue is asked. */
const LOOK_MS = 15_000;

export type DeskPhase = "loading" | "working" | "empty" | "paused" | "used-up" | "failed";

/** What was typed and chosen about a case. */
export interface Remarks {
  /** Beside a decision. */
  readonly comment: string;
  /** Of a decision. */
  readonly reason: ReasonCode | undefined;
  /** Beside a hold. */
  readonly note: string;
  /** For how long it is held. */
  readonly hours: HoldHours;
}

/** What stands in the fields of a case that nobody has said anything about. */
export const NO_REMARKS: Remarks = { comment: "", reason: undefined, note: "", hours: "24" };

/** Under which name a remark is kept. */
export function remarkName(remark: keyof Remarks, caseId: string): string {
  return `${remark} on case ${caseId}`;
}

/** Keeps remarks while they are under way, when their case is not on the desk. */
function holdRemarks(caseId: string, remarks: Remarks): () => void {
  const held = (["comment", "reason", "note", "hours"] as const)
    .filter((remark) => remarks[remark] !== NO_REMARKS[remark])
    .map((remark) => unsent.show(remarkName(remark, caseId), remarks[remark]));
  return () => {
    for (const letGo of held) {
      letGo();
    }
  };
}

export interface DeskControl {
  phase: DeskPhase;
  current: Case | undefined;
  next: Case | undefined;
  error: unknown;
  exposure: Exposure | undefined;
  pictures: PictureStore;
  /** What was typed and chosen about a case that came back: what was to be done with it was not sent, or was taken back, or its lease
   * ended. */
  remarksOn(caseId: string): Remarks;
  /** What stands in the fields of the shown case, which may leave the desk by itself and come back. */
  remember(caseId: string, remarks: Remarks): void;
  decide(input: DecisionInput, remarks: Remarks, said: string): void;
  hold(input: HoldInput, remarks: Remarks, said: string): void;
  assign(member: string, remarks: Remarks, said: string): void;
  pause(): void;
  resume(): void;
  report(caseId: string, views: View[]): void;
}

/** What is claimed and given back happens one after the other: an answer must not have what was given back meanwhile. */
let lastChange: Promise<unknown> = Promise.resolve();

function giveBackCases(cases: readonly Case[], options: CallOptions = {}): void {
  const released = cases.map(({ id }) => releaseCase(id, options));
  lastChange = Promise.allSettled([lastChange, ...released]);
}

function isSeen(): boolean {
  return document.visibilityState === "visible";
}

/** Acts each time that so many milliseconds have passed, and when somebody comes back to the page, until what it answers is called. */
function everyAndWhenSeen(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms);
  const look = () => isSeen() && act();
  document.addEventListener("visibilitychange", look);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", look);
  };
}

export function useDesk(queue: string | undefined): DeskControl {
  const texts = useTexts();
  const { show } = useToasts();
  const { checkSession, isGone } = useSession();
  const client = useQueryClient();
  const [pictures] = useState(() => new PictureStore());
  const [desk, setDesk] = useState(EMPTY_DESK);
  const [phase, setPhase] = useState<DeskPhase>("loading");
  const [error, setError] = useState<unknown>();
  const [exposure, setExposure] = useState<Exposure>();
  /** Decided cases that can still be taken back: their pictures are kept. */
  const [undoable, setUndoable] = useState<readonly Case[]>([]);
  /** Cases that have left the desk for good, as far as the server knows: a later claim may bring them anew. */
  const completed = useRef(new Set<string>());
  /** What was typed and chosen about cases that may come back. */
  const remarked = useRef(new Map<string, Remarks>());
  /** Goes up whenever what was claimed before is not wanted any more. */
  const turn = useRef(0);
  const latest = useRef({ desk, claim: (_taken?: readonly string[]): void => undefined });

  const fail = useCallback(
    async (failure: unknown) => {
      if (!(await checkSession(failure))) {
        show({ text: errorText(texts, failure), tone: "bad" });
      }
    },
    [checkSession, show, texts],
  );

  const claimNow = useCallback(
    async (asked: number, taken: readonly string[]) => {
      if (asked !== turn.current) {
        return;
      }
      const settled = [...completed.current];
      const [before] = latest.current.desk.held;
      /** Says so where the shown case leaves the desk; one that was taken back meanwhile was not asked about. */
      const sayIfLost = (isLost: (id: string) => boolean) => {
        const [shown] = latest.current.desk.held;
        if (shown && shown.id === before?.id && isLost(shown.id)) {
          show({ text: texts.queue.lost, tone: "bad" });
        }
      };
      try {
        const { cases, exposure } = await claimCases(queue, CLAIMED_CASES);
        if (asked !== turn.current) {
          // A break began while the answer was under way, or another queue or screen was opened.
          await Promise.allSettled(isGone() ? [] : cases.map(({ id }) => releaseCase(id)));
          return;
        }
        setExposure(exposure);
        for (const id of settled) {
          completed.current.delete(id);
        }
        sayIfLost((id) => !cases.some((one) => one.id === id));
        setDesk((now) => receive(now, cases, settled));
        setPhase("working");
      } catch (failure) {
        if (asked !== turn.current || (await checkSession(failure))) {
          return;
        }
        const isUsedUp = failure instanceof RefusedError && failure.code === "EXPOSURE_BUDGET_USED_UP";
        // When the day's budget is used up, nothing can come back; anything else is tried again with the next renewal.
        const lost = isUsedUp ? taken : [];
        sayIfLost((id) => lost.includes(id));
        const isEmpty = latest.current.desk.held.every(({ id }) => lost.includes(id));
        setDesk((now) => keepRenewed(now, lost, []));
        setError(failure);
        setPhase((now) => (isEmpty ? (isUsedUp ? "used-up" : "failed") : now));
      }
      void client.invalidateQueries({ queryKey: ["queues"] });
    },
    [queue, checkSession, isGone, client, show, texts],
  );

  /** Claims cases, in place of those too that were not renewed, `taken`: they leave the desk with the answer. */
  const claim = useCallback(
    (taken: readonly string[] = []) => {
      const asked = turn.current;
      lastChange = lastChange.then(() => claimNow(asked, taken));
    },
    [claimNow],
  );

  latest.current = { desk, claim };

  /** Gives everything back that is on the desk. */
  const giveBack = useCallback(() => {
    turn.current += 1;
    if (!isGone()) {
      giveBackCases(latest.current.desk.held, { keepalive: true, isLeaving: true });
    }
  }, [isGone]);

  useEffect(() => {
    const comeBack = ({ persisted }: PageTransitionEvent) => persisted && claim();
    setDesk(EMPTY_DESK);
    setPhase("loading");
    claim();
    window.addEventListener("pagehide", giveBack);
    window.addEventListener("pageshow", comeBack);
    return () => {
      window.removeEventListener("pagehide", giveBack);
      window.removeEventListener("pageshow", comeBack);
      giveBack();
    };
  }, [claim, giveBack]);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
      pictures.keepOnly([]);
    };
  }, [pictures]);

  useEffect(() => {
    const renew = async () => {
      const asked = turn.current;
      const held = latest.current.desk.held.map(({ id }) => id);
      if (held.length === 0) {
        return;
      }
      try {
        const { leases } = await renewLeases(held);
        const taken = held.filter((id) => !leases.some(({ case_id }) => case_id === id));
        const isOnDesk = latest.current.desk.held.some(({ id }) => taken.includes(id));
        // What nobody looks at waits until somebody does.
        if (asked === turn.current && isOnDesk && isSeen()) {
          latest.current.claim(taken);
        }
      } catch (failure) {
        await checkSession(failure);
      }
    };
    return everyAndWhenSeen(RENEW_MS, () => void renew());
  }, [checkSession]);

  const isIdle = phase === "working" && desk.held.length === 0;
  useEffect(() => (isIdle ? everyAndWhenSeen(LOOK_MS, () => isSeen() && claim()) : undefined), [isIdle, claim]);

  // The next case's pictures are there before it is; those of cases that are gone for good are not kept.
  useEffect(() => {
    const known = [...desk.held, ...undoable].map(({ id }) => id);
    pictures.keepOnly([...known, ...desk.gone]);
    for (const { id, pictures: names } of desk.held) {
      for (const { name } of names) {
        pictures.load(id, name).catch(() => undefined);
      }
    }
  }, [pictures, desk, undoable]);

  /** Takes the shown case from the desk and sends what was done with it; it comes back if that fails. */
  const send = async (act: (id: string) => Promise<unknown>, remarks: Remarks): Promise<Case | undefined> => {
    const [done] = latest.current.desk.held;
    if (!done) {
      return undefined;
    }
    const asked = turn.current;
    remarked.current.set(done.id, remarks);
    const letGo = holdRemarks(done.id, remarks);
    setDesk((now) => leave(now, done.id));
    if (latest.current.desk.held.length === 1) {
      // Whether there are more is not known before the next claim is answered.
      setPhase("loading");
    }
    try {
      await act(done.id);
      completed.current.add(done.id);
      if (asked === turn.current) {
        latest.current.claim();
      }
      return done;
    } catch (failure) {
      const isLost = failure instanceof RefusedError && failure.code === "CASE_NOT_HELD";
      if (isLost) {
        completed.current.add(done.id);
      }
      if (asked !== turn.current) {
        // A break began meanwhile, or another queue or screen was opened: the case is not wanted any more.
        giveBackCases(isLost || isGone() ? [] : [done]);
      } else if (isLost) {
        latest.current.claim();
      } else {
        setDesk((now) => restore(now, done));
        setPhase("working");
      }
      await fail(failure);
      return undefined;
    } finally {
      letGo();
    }
  };

  const undo = async (taken: Case) => {
    const { hash } = location;
    setUndoable((all) => all.filter((one) => one !== taken));
    try {
      await undoDecision(taken.id);
      if (!isOpen.current) {
        if (location.hash === hash) {
          // Taken back from another screen: the desk is opened, and the case is on it.
          navigate(placeHref("queue"));
        } else {
          // They have gone on since, and find it at the desk when they are there.
          show({ text: texts.queue.undoneElsewhere, tone: "plain" });
        }
        return;
      }
      completed.current.delete(taken.id);
      setDesk((now) => restore(now, taken));
      show({ text: texts.queue.undone, tone: "plain" });
      // Somebody else may have it by now: only what the server says is the reviewer's stays on the desk.
      latest.current.claim();
    } catch (failure) {
      await fail(failure);
    }
  };

  const decide = async (input: DecisionInput, remarks: Remarks, said: string) => {
    let settlesAt = "";
    const done = await send(async (id) => {
      settlesAt = (await decideCase(id, input)).settles_at;
    }, remarks);
    if (!done) {
      return;
    }
    const stayMs = undoTime(settlesAt, Date.now());
    show({ text: said, tone: "good", stayMs, undo: () => void undo(done) });
    setUndoable((all) => [...all, done]);
    setTimeout(() => {
      setUndoable((all) => all.filter((one) => one !== done));
      if (remarked.current.get(done.id) === remarks) {
        remarked.current.delete(done.id);
      }
    }, stayMs);
  };

  const giveAway = async (act: (id: string) => Promise<unknown>, remarks: Remarks, said: string) => {
    const done = await send(act, remarks);
    if (done) {
      remarked.current.delete(done.id);
      show({ text: said, tone: "good" });
    }
  };

  const [current, next] = desk.held;
  return {
    phase: isIdle ? "empty" : phase,
    current,
    next,
    error,
    exposure,
    pictures,
    remarksOn: (caseId) => remarked.current.get(caseId) ?? NO_REMARKS,
    remember: (caseId, remarks) => void remarked.current.set(caseId, remarks),
    decide: (input, remarks, said) => void decide(input, remarks, said),
    hold: (input, remarks, said) => void giveAway((id) => holdCase(id, input), remarks, said),
    assign: (member, remarks, said) => void giveAway((id) => assignCase(id, member), remarks, said),
    pause: () => {
      giveBack();
      setDesk(EMPTY_DESK);
      setPhase("paused");
    },
    resume: () => {
      setPhase("loading");
      claim();
    },
    report: (caseId, views) => {
      if (isGone()) {
        return;
      }
      void recordViews(caseId, views)
        .then(setExposure)
        .catch((failure: unknown) => checkSession(failure));
    },
  };
}
