// What the palette finds beyond screens and actions: people, contents, and whatever an id names. Few calls are made, after a
// pause in typing, and those that are wanted no more are given up.

import { skipToken, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Account, ProfileItem } from "../api/account";
import { getCase } from "../api/cases";
import { RefusedError } from "../api/client";
import type { AnyScope, Session } from "../api/session";
import { getVerificationSession } from "../api/verification-sessions";
import { detailHref, isId, navigate, placeHref } from "../router";
import { DETAIL_AUDIENCES, isOpenTo } from "../screens";
import { useAccount, useConsole } from "../session-context";
import { type Format, fill, lookup, type Texts, useFormat, useTexts } from "../texts";
import type { IconName } from "./icon";
import { nameOf } from "./person-name";
import { kindWords } from "./session-words";

export interface Command {
  id: string;
  label: string;
  /** What tells it from others that are called the same. */
  detail?: string;
  icon: IconName;
  keys?: string;
  run(): void;
}

export interface PaletteSearch {
  ids: Command[];
  people: Command[];
  contents: Command[];
  isSearching: boolean;
  /** Why something may be missing. */
  note: string;
}

/** So long nothing must be typed before the server is asked. */
const PAUSE_MS = 200;
/** Fewer letters find too much. */
const MIN_CHARS = 2;
const MAX_TITLE_CHARS = 200;
/** Of each kind so many are shown. */
const MAX_SHOWN = 6;
/** Nobody is found by a name without these. */
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const FRESH_MS = 60_000;

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export function usePaletteSearch(typed: string): PaletteSearch {
  const texts = useTexts();
  const format = useFormat();
  // An operator is in no account, and finds nothing of one.
  const account = useAccount();
  const { session, may } = useConsole();
  const wanted = typed.trim();
  const settled = useSettled(wanted);
  const isNamed = isId(settled);
  const isAsked = settled.length >= MIN_CHARS && settled.length <= MAX_TITLE_CHARS && !isNamed;
  const common = { retry: false, staleTime: FRESH_MS };

  const ids = useQuery({
    ...common,
    queryKey: ["palette", "id", settled],
    queryFn:
      account && isNamed
        ? ({ signal }) => whatIdNames({ account, session, may, texts, format, signal }, settled.toLowerCase())
        : skipToken,
  });
  const byReference = useQuery({
    ...common,
    queryKey: ["palette", "reference", settled],
    queryFn:
      account && isAsked && may("profiles:list")
        ? ({ signal }) => account.profiles({ banned: false, reference: settled, name: "" }, 1, { signal })
        : skipToken,
  });
  const byName = useQuery({
    ...common,
    queryKey: ["palette", "name", settled],
    queryFn:
      account && isAsked && may("profiles:list") && LETTER_OR_DIGIT.test(settled)
        ? ({ signal }) => account.profiles({ banned: false, reference: "", name: settled }, 1, { signal })
        : skipToken,
  });
  const titled = useQuery({
    ...common,
    queryKey: ["palette", "title", settled],
    queryFn:
      account && isAsked && may("contents:list")
        ? ({ signal }) => account.contents({ title: settled }, 1, { signal })
        : skipToken,
  });

  const all = [ids, byReference, byName, titled];
  const isSearching = wanted.length >= MIN_CHARS && (settled !== wanted || all.some(({ isFetching }) => isFetching));
  // All at once: what Enter opens must not move under the reader's hand.
  const isThere = isAsked && !isSearching;
  const people = isThere ? peopleFound(byReference.data?.profiles ?? [], byName.data?.profiles ?? []) : [];
  const contents = isThere ? (titled.data?.contents ?? []) : [];
  const total = titled.data?.total_count ?? 0;
  return {
    ids: isNamed && !isSearching ? (ids.data ?? []) : [],
    people: people.map((one) => personCommand(texts, one, may("profiles:view"))),
    contents: [
      ...contents.slice(0, MAX_SHOWN).map((one) => ({
        id: `content-${one.id}`,
        label: one.title || (lookup(texts.evidence.types, one.type) ?? one.type),
        detail: format.day(one.created_at),
        icon: "contents" as const,
        run: () => navigate(may("contents:view") ? detailHref("content", one.id) : titleHref(settled)),
      })),
      ...(isThere && total > MAX_SHOWN ? [allContents(texts, settled, total)] : []),
    ],
    isSearching,
    note: all.some(({ isError }) => isError)
      ? texts.palette.failed
      : isAsked && byName.data?.searched_back_to
        ? fill(texts.palette.namesSince, { day: format.day(byName.data.searched_back_to) })
        : "",
  };
}

function titleHref(title: string): string {
  return placeHref("contents", { title });
}

function allContents(texts: Texts, title: string, total: number): Command {
  const label = fill(texts.palette.allTitles, { title, count: total });
  return { id: "all-titles", label, icon: "search", run: () => navigate(titleHref(title)) };
}

function personCommand(texts: Texts, one: ProfileItem, mayView: boolean): Command {
  const detail = [one.reference, one.is_banned ? texts.people.banned : ""].filter(Boolean).join(" · ");
  const href = mayView
    ? detailHref("profile", one.profile_id)
    : placeHref("people", { reference: one.reference ?? "" });
  return {
    id: `person-${one.profile_id}`,
    label: nameOf(texts, one),
    detail,
    icon: "people",
    run: () => navigate(href),
  };
}

/** Those with just this reference, then those who are called like this. */
export function peopleFound(byReference: readonly ProfileItem[], byName: readonly ProfileItem[]): ProfileItem[] {
  const all = new Map([...byReference, ...byName].map((one) => [one.profile_id, one]));
  return [...all.values()].slice(0, MAX_SHOWN);
}

interface Asker {
  account: Account;
  session: Session;
  may(scope: AnyScope): boolean;
  texts: Texts;
  format: Format;
  signal: AbortSignal;
}

/** Asks for everything that an id may be of; what is refused is not there for the reader. */
async function whatIdNames({ account, session, may, texts, format, signal }: Asker, id: string): Promise<Command[]> {
  const { nav, finding, cases, contents, evidence } = texts;
  const options = { signal };
  const ask = async (key: string, what: string, icon: IconName, href: string, detail: () => Promise<string>) => {
    try {
      const label = fill(texts.palette.openId, { what });
      return [{ id: `id-${key}`, label, detail: await detail(), icon, run: () => navigate(href) }];
    } catch (error) {
      if (error instanceof RefusedError) {
        return [];
      }
      throw error;
    }
  };
  const asked: Promise<Command[]>[] = [
    ask("case", nav.case, "cases", detailHref("case", id), async () => cases.kinds[(await getCase(id, options)).kind]),
  ];
  if (may("notifications:view")) {
    asked.push(
      ask("notification", nav.notification, "inbox", detailHref("notification", id), async () => {
        const { data } = await account.notification(id, options);
        return data.reasons.map((reason) => finding.reasons[reason]).join(", ");
      }),
    );
  }
  if (isOpenTo(DETAIL_AUDIENCES.profile, session, may)) {
    asked.push(
      ask("profile", nav.person, "people", detailHref("profile", id), async () =>
        nameOf(texts, await account.profile(id, options)),
      ),
    );
  }
  if (isOpenTo(DETAIL_AUDIENCES.content, session, may)) {
    asked.push(
      ask("content", nav.content, "contents", detailHref("content", id), async () => {
        const { title, type } = await account.content(id, options);
        return title || (lookup(evidence.types, type) ?? type);
      }),
    );
  }
  if (isOpenTo(DETAIL_AUDIENCES.moderation, session, may)) {
    asked.push(
      ask("moderation", nav.moderation, "search", detailHref("moderation", id), async () => {
        const { state, created_at } = (await account.moderation(id, options)).moderation;
        return `${contents.states[state]}, ${format.moment(created_at)}`;
      }),
    );
  }
  if (isOpenTo(DETAIL_AUDIENCES.session, session, may)) {
    asked.push(
      ask("session", nav.session, "clock", detailHref("session", id), async () =>
        kindWords(texts, (await getVerificationSession(id, options)).session.kind),
      ),
    );
  }
  if (may("contents:list")) {
    asked.push(uploaderCommand(account, texts, id, signal));
  }
  return (await Promise.all(asked)).flat();
}

/** Nothing says whether there is an uploader: they are known by what they uploaded. */
async function uploaderCommand(account: Account, texts: Texts, id: string, signal: AbortSignal): Promise<Command[]> {
  const { total_count } = await account.contents({ uploader_id: id }, 1, { signal });
  const href = placeHref("contents", { uploader_id: id });
  const label = fill(texts.contents.allOfUploader, { count: total_count });
  return total_count === 0 ? [] : [{ id: "id-uploader", label, icon: "contents", run: () => navigate(href) }];
}
