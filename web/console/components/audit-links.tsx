// Where what a record of the audit trail names is shown: who acted, what they acted on, and the ids among its details.

import type { AuditEntry } from "../api/audit";
import { isOperator } from "../api/session";
import { type Detail, detailHref, isId, type Place, placeHref } from "../router";
import { DETAIL_AUDIENCES, isOpenTo, PLACE_ENTRIES } from "../screens";
import { useConsole } from "../session-context";
import { lookup, useTexts } from "../texts";
import { ShortId } from "./short-id";
import { useAccounts, useApplications, useOperators, useOrganisations } from "./tenant-links";

/** What an id is of, where a screen shows it: a detail, or what a place shows when it is asked for. */
type Named = Detail | "member" | "member-role" | "operator-role" | "case-queue" | "approval";

/** Places that show one thing of theirs, and by which parameter it is asked for. */
const PLACES: Readonly<Record<string, readonly [Place, Record<string, string> | string]>> = {
  member: ["members", "member"],
  "member-role": ["roles", "role"],
  "operator-role": ["operator-roles", "role"],
  "case-queue": ["queues", "queue"],
  approval: ["approvals", { show: "all" }],
};

/** What the target of a record is, by the thing that was acted on. */
const TARGETS: Readonly<Record<string, Named>> = {
  account: "account",
  "age-appeal": "session",
  "age-session": "session",
  application: "application",
  approval: "approval",
  case: "case",
  "case-queue": "case-queue",
  content: "content",
  delivery: "delivery",
  "document-session": "session",
  member: "member",
  "member-role": "member-role",
  "member-session": "member",
  moderation: "moderation",
  notification: "notification",
  operator: "operator",
  "operator-role": "operator-role",
  "operator-session": "operator",
  organisation: "organisation",
  profile: "profile",
  "sign-in-link": "member",
};

/** Things that belong to a person: what somebody signs in with. */
const OF_A_PERSON = ["oidc-subject", "passkey", "password", "second-factor", "totp"];

/** What details are ids of, by their names. */
const DETAILS: Readonly<Record<string, Named>> = {
  case: "case",
  organisation: "organisation",
  requested_by: "operator",
  reviewer: "member",
  session: "session",
  to: "member",
};

/** What the target of a record is; nothing where no screen shows it. */
export function targetOf({ action, target, account_id, application_id }: AuditEntry): Named | undefined {
  const [thing = ""] = action.split(".");
  if (OF_A_PERSON.includes(thing)) {
    return account_id ? "member" : "operator";
  }
  if (thing === "sandbox") {
    return target === application_id ? "application" : "session";
  }
  return TARGETS[thing];
}

/** What a detail of a record is an id of; nothing where it is none. */
export function detailOf({ account_id }: AuditEntry, name: string): Named | undefined {
  return name === "role" ? (account_id ? "member-role" : "operator-role") : DETAILS[name];
}

/** Where an id is shown, if the reader may open that. */
function useHref(): (named: Named | undefined, id: string) => string | undefined {
  const { session, may } = useConsole();
  return (named, id) => {
    if (!named) {
      return undefined;
    }
    const [place, asked] = PLACES[named] ?? [];
    if (place && asked) {
      const isOpen = PLACE_ENTRIES.some((entry) => entry.place === place && isOpenTo(entry, session, may));
      return isOpen ? placeHref(place, typeof asked === "string" ? { [asked]: id } : asked) : undefined;
    }
    const detail = named as Detail;
    return isOpenTo(DETAIL_AUDIENCES[detail], session, may) ? detailHref(detail, id) : undefined;
  };
}

interface IdLinkProps {
  named: Named | undefined;
  id: string;
  isShort?: boolean;
}

/** An id, with the way to what it names; by its name, as far as the reader knows it. */
export function IdLink({ named, id, isShort = false }: IdLinkProps) {
  const hrefOf = useHref();
  const nameOf = useName();
  if (!isId(id)) {
    return <code>{id}</code>;
  }
  const href = hrefOf(named, id);
  const shown = nameOf(named, id) ?? (isShort ? <ShortId id={id} /> : <code>{id}</code>);
  return href ? <a href={href}>{shown}</a> : shown;
}

/** What an id is called, as far as the reader may list what it is of. */
function useName(): (named: Named | undefined, id: string) => string | undefined {
  const lists: Partial<Record<Named, readonly { id: string; name: string }[] | undefined>> = {
    account: useAccounts().data,
    application: useApplications().data,
    operator: useOperators().data,
    organisation: useOrganisations().data,
  };
  return (named, id) => (named ? lists[named]?.find((one) => one.id === id)?.name : undefined);
}

/** Who acted: what they are, and which of them. */
export function Actor({ actor, isShort = false }: { actor: string; isShort?: boolean }) {
  const texts = useTexts();
  const { session } = useConsole();
  // What follows the first colon is an id, or who used the command line, and where.
  const [kind = ""] = actor.split(":");
  const id = actor.slice(kind.length + 1);
  const words = lookup(texts.audit.actors, kind) ?? kind;
  if (id === "") {
    return words;
  }
  const own = isOperator(session) ? `operator:${session.operator.id}` : `member:${session.member.id}`;
  const named = kind === "operator" || kind === "application" || kind === "member" ? kind : undefined;
  return (
    <>
      {words} {actor === own ? texts.you : <IdLink named={named} id={id} isShort={isShort} />}
    </>
  );
}
